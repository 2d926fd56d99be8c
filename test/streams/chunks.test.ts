import { describe, expect, test } from "vitest";
import { concatBytes, equalBytes } from "../../src/base/streams/bytes.ts";
import { toChunks } from "../../src/base/streams/chunks.ts";
import { someBytes } from "../crypto/helpers.ts";

const SIZE = 100_000;

describe("a Blob that is read into one buffer", () => {
  test.each([0, 1, SIZE - 1, SIZE, SIZE + 1, 3 * SIZE])("of %i bytes is yielded in full chunks", async (size) => {
    const bytes = someBytes(size);
    const read: Uint8Array[] = [];
    let before: Uint8Array | undefined;
    for await (const chunk of toChunks(new Blob([new Uint8Array(bytes)]).stream(), undefined, SIZE)) {
      // Its memory is the next one's.
      expect(before?.length ?? 0).toBe(0);
      read.push(chunk.slice());
      before = chunk;
    }
    expect(equalBytes(concatBytes(read), bytes)).toBe(true);
    expect(read.slice(0, -1).every(({ length }) => length === SIZE)).toBe(true);
  });
});

test("a stream of chunks, which has its own memory, yields them as they are", async () => {
  const chunk = someBytes(3);
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(chunk);
      controller.close();
    },
  });
  for await (const one of toChunks(stream, undefined, SIZE)) expect(one).toBe(chunk);
});

test.each([
  ["its reader stops", undefined],
  ["the signal fires while it is read", "ABORTED"],
])("a stream of bytes is cancelled when %s", async (_, code) => {
  const stop = new AbortController();
  let isCancelled = false;
  let pulls = 0;
  const stream = new ReadableStream({
    type: "bytes",
    pull(controller) {
      if (pulls++ > 0 && code) return stop.abort();
      controller.enqueue(new Uint8Array(2));
    },
    cancel() {
      isCancelled = true;
    },
  });
  const reading = (async () => {
    for await (const _ of toChunks(stream, stop.signal, 2)) if (!code) break;
  })();
  if (code) await expect(reading).rejects.toMatchObject({ code });
  else await reading;
  expect(isCancelled).toBe(true);
});
