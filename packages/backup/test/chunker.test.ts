import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { type ChunkSizes, cutChunks, FILE_SIZES, findCut, readGear } from "../src/chunker.ts";
import { createKeys } from "../src/keys.ts";

// Vectors of fastcdc-rs, `src/v2016/mod.rs` (https://github.com/nlfiedler/fastcdc-rs, MIT): the picture is its fixture, a
// woodcut of 1776 by Toriyama Sekien; the gear table is that of the reference implementation, MD5 of 64 equal bytes.
const gear = readGear(
  Buffer.concat(
    Array.from({ length: 256 }, (_, byte) => createHash("md5").update(Buffer.alloc(64, byte)).digest().subarray(0, 8)),
  ),
);
const masks = [
  [0x0000d90f03530000n, 0x0000d90303530000n],
  [0x0000d90303537000n, 0x0000d90313530000n],
  [0x0000d90703537000n, 0x0000d90f03530000n],
] as const;
const vectors = [
  { sizes: [4_096, 16_384, 65_535], lengths: [21_325, 17_140, 28_084, 18_217, 24_700] },
  { sizes: [8_192, 32_768, 131_072], lengths: [66_549, 42_917] },
  { sizes: [16_384, 65_536, 262_144], lengths: [109_466] },
];

async function* inParts(bytes: Uint8Array, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function measure(bytes: Uint8Array, size: number, sizes: ChunkSizes, table = gear) {
  const chunks: Uint8Array[] = [];
  for await (const chunk of cutChunks(inParts(bytes, size), sizes, table)) chunks.push(chunk);
  expect(Buffer.concat(chunks).equals(bytes)).toBe(true);
  return chunks;
}

test.each([0, 1, 2])("chunks end where published vectors say (%i)", async (at) => {
  const picture = await readFile(new URL("./vectors/SekienAkashita.jpg", import.meta.url));
  const [min = 0, average = 0, max = 0] = vectors[at]?.sizes ?? [];
  const [strict = 0n, loose = 0n] = masks[at] ?? [];
  const sizes = { min, average, max, strict, loose };
  for (const part of [7, 4_096, picture.length]) {
    const chunks = await measure(picture, part, sizes);
    expect(chunks.map(({ length }) => length)).toEqual(vectors[at]?.lengths);
  }
  expect(findCut(new Uint8Array(10_240), { min: 64, average: 256, max: 1_024, strict, loose }, gear)).toBe(1_024);
});

test("a change in the middle changes few chunks, and another secret cuts elsewhere", async () => {
  const keys = [1, 2].map((fill) => createKeys(Buffer.alloc(32, fill)));
  const bytes = Buffer.alloc(6 * 1024 * 1024);
  for (let at = 0, word = 1; at < bytes.length; at += 4) {
    word = (Math.imul(word ^ (word >>> 15), 0x2c1b3c6d) + at) | 0;
    bytes.writeInt32LE(word, at);
  }
  const own = await measure(bytes, 1 << 20, FILE_SIZES, keys[0]?.gear);
  const other = await measure(bytes, 1 << 20, FILE_SIZES, keys[1]?.gear);
  const grown = await measure(
    Buffer.concat([bytes.subarray(0, 3_000_000), Buffer.from("!"), bytes.subarray(3_000_000)]),
    1 << 20,
    FILE_SIZES,
    keys[0]?.gear,
  );
  const known = new Set(own.map((chunk) => keys[0]?.toId(chunk)));
  expect(grown.filter((chunk) => !known.has(keys[0]?.toId(chunk))).length).toBeLessThanOrEqual(2);
  expect(other.map(({ length }) => length)).not.toEqual(own.map(({ length }) => length));
});
