import { describe, expect, test } from "vitest";
import { createSegmenter, toSegments } from "../../src/platform/aes-gcm/streaming.ts";
import { concat, cutEvery, someBytes } from "../crypto/helpers.ts";

const SEGMENT = 512 * 1024;

const lengths = (segments: Iterable<Uint8Array>) => Array.from(segments, ({ length }) => length);

describe("the segments of an array", () => {
  test.each([
    [0, []],
    [1, [1]],
    [SEGMENT, [SEGMENT]],
    [2 * SEGMENT + 3, [SEGMENT, SEGMENT, 3]],
  ])("of %i bytes are %j bytes long", (size, expected) => {
    expect(lengths(toSegments(new Uint8Array(size)))).toEqual(expected);
  });

  test("are views of it", () => {
    const bytes = new Uint8Array(SEGMENT + 1);
    for (const segment of toSegments(bytes)) expect(segment.buffer).toBe(bytes.buffer);
  });
});

describe("the segments of chunks", () => {
  test("are returned as soon as they are complete", () => {
    const segmenter = createSegmenter();
    expect(lengths(segmenter.push(new Uint8Array(SEGMENT - 1)))).toEqual([]);
    expect(lengths(segmenter.push(new Uint8Array(1)))).toEqual([SEGMENT]);
    expect(lengths(segmenter.push(new Uint8Array(2 * SEGMENT + 5)))).toEqual([SEGMENT, SEGMENT]);
    expect(segmenter.rest()).toHaveLength(5);
  });

  test("are views of a chunk that holds whole segments, not copies", () => {
    const segmenter = createSegmenter();
    const chunk = new Uint8Array(2 * SEGMENT);
    for (const segment of segmenter.push(chunk)) expect(segment.buffer).toBe(chunk.buffer);
    expect(segmenter.rest()).toHaveLength(0);
  });

  test("have the same bytes, though each is read only until the next push", () => {
    const bytes = someBytes(4 * SEGMENT + 7);
    const segmenter = createSegmenter();
    const read: Uint8Array[] = [];
    for (const chunk of cutEvery(bytes, 170_001)) {
      for (const segment of segmenter.push(chunk)) read.push(segment.slice());
      chunk.fill(0);
    }
    const joined = concat([...read, segmenter.rest()]);
    expect(joined.every((byte, index) => byte === bytes[index])).toBe(true);
    expect(joined).toHaveLength(bytes.length);
  });

  test("end with a rest that is returned once", () => {
    const segmenter = createSegmenter();
    segmenter.push(someBytes(9));
    expect(segmenter.rest()).toEqual(someBytes(9));
    expect(segmenter.rest()).toHaveLength(0);
  });
});
