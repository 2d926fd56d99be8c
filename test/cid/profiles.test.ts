import { expect, test, vi } from "vitest";
import { LARGE_CHUNKS, SMALL_CHUNKS } from "../../src/formats/cid/chunk-profile.ts";
import { formatCid } from "../../src/formats/cid/content-id.ts";
import { hashFile } from "../../src/formats/cid/file.ts";
import { createProfileHasher } from "../../src/formats/cid/profiles.ts";
import { blockHasher as pageBlockHasher } from "../../src/platform/browser/hashing.ts";
import { blockHasher } from "../../src/platform/node/hashing.ts";
import type { BlockHasher } from "../../src/platform/types.ts";
import { computeImporterCids } from "./importer.ts";

const KIB = 1024;
const MIB = 1024 * KIB;

const large = { cidVersion: 1, chunkBytes: MIB, links: 1_024 } as const;

/** Creates bytes that differ in every block. */
function createBytes(size: number): Uint8Array {
  const bytes = new Uint8Array(size);
  for (let at = 0; at < size; at += 512) bytes.fill(at % 251, at, at + 512).fill((at >> 10) & 0xff, at, at + 5);
  return bytes;
}

const profilesOf = (version: 0 | 1) => [{ version, ...SMALL_CHUNKS }, { version: 1, ...LARGE_CHUNKS } as const];

async function computeCids(files: readonly Uint8Array[], version: 0 | 1, blocks: BlockHasher, step: number) {
  const hasher = createProfileHasher(blocks);
  const ids: string[][] = [];
  for (const bytes of files) {
    const file = hasher.startFile(profilesOf(version));
    for (let at = 0; at < bytes.length; at += step) {
      const chunk = bytes.slice(at, at + step);
      await file.update(chunk);
      // The hasher must not keep a reference to its input.
      chunk.fill(0xee);
    }
    ids.push((await file.finish()).map((cid) => formatCid(cid)));
  }
  blocks.close();
  return ids;
}

async function computeProfileCids(bytes: Uint8Array, version: 0 | 1): Promise<(string | undefined)[]> {
  const shapes = [{ cidVersion: version }, large];
  return Promise.all(shapes.map(async (shape) => (await computeImporterCids({ name: bytes }, shape))["name"]?.cid));
}

const edges = [
  1,
  127,
  128,
  256 * KIB - 1,
  256 * KIB,
  256 * KIB + 1,
  MIB - 1,
  MIB,
  MIB + 1,
  174 * 256 * KIB,
  174 * 256 * KIB + 1,
];

test.each([0, 1] as const)("version %d: files have the importer's CIDs in both profiles", async (version) => {
  const files = edges.map(createBytes);
  const expected = await Promise.all(files.map((bytes) => computeProfileCids(bytes, version)));
  expect(await computeCids(files, version, blockHasher(), 70_001)).toEqual(expected);
  expect(await computeCids(files, version, pageBlockHasher(), 300_000)).toEqual(expected);
});

test("a file with more large leaves than a node has links", async () => {
  const block = createBytes(MIB);
  const blocks = blockHasher();
  const file = createProfileHasher(blocks).startFile(profilesOf(1));
  const reference = hashFile(1, { leafBytes: MIB, links: 1_024 });
  for (let at = 0; at < 1_025; at++) {
    await file.update(block);
    await reference.update(block);
  }
  const [, got] = await file.finish();
  blocks.close();
  expect(got).toEqual((await reference.finish()).cid);
}, 60_000);

test("hashes on the main thread in a runtime without workers", async () => {
  vi.resetModules();
  vi.doMock("node:worker_threads", () => ({
    Worker: class {
      constructor() {
        throw new Error("not allowed");
      }
    },
  }));
  const { blockHasher: threadless } = await import("../../src/platform/node/hashing.ts");
  vi.doUnmock("node:worker_threads");
  const bytes = createBytes(20 * MIB);
  expect(await computeCids([bytes], 1, threadless(), MIB)).toEqual([await computeProfileCids(bytes, 1)]);
});
