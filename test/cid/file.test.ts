import fc from "fast-check";
import { expect, test } from "vitest";
import { type CidVersion, formatCid } from "../../src/formats/cid/content-id.ts";
import { hashFile } from "../../src/formats/cid/file.ts";
import { keystream, keystreamIds, textIds } from "../support/kubo-ids.ts";
import { computeImporterCids } from "./importer.ts";

const KIB = 1024;

async function computeCid(
  chunks: Iterable<Uint8Array>,
  version: CidVersion,
  shape: Parameters<typeof hashFile>[1] = {},
) {
  const hasher = hashFile(version, shape);
  for (const chunk of chunks) {
    const own = Uint8Array.from(chunk);
    await hasher.update(own);
    // The hasher must not keep a reference to its input.
    own.fill(0xee);
  }
  const { cid, treeBytes } = await hasher.finish();
  return { cid: formatCid(cid), treeBytes };
}

test.each(textIds)("$text in version $version has Kubo's CID", async ({ text, version, cid }) => {
  expect((await computeCid([Buffer.from(text)], version)).cid).toBe(cid);
});

test.each(keystreamIds)("$name have the CID of Kubo's own tests", async ({ seed, bytes, version, ...rest }) => {
  expect((await computeCid(keystream(seed, bytes), version, { leafBytes: rest.leafBytes })).cid).toBe(rest.cid);
});

test("trees of every height and fill match the importer's", async () => {
  for (let leaves = 0; leaves <= 40; leaves++) {
    const bytes = Uint8Array.from({ length: leaves * 3 }, (_, at) => at);
    for (const version of [0, 1] as const) {
      const shape = { cidVersion: version, chunkBytes: 3, links: 3 };
      expect(await computeCid([bytes], version, { leafBytes: 3, links: 3 }), `${leaves} leaves`).toEqual(
        (await computeImporterCids({ name: bytes }, shape))["name"],
      );
    }
  }
});

test("any file, in any chunks, has the importer's CID and tree size", async () => {
  const file = fc.record({
    bytes: fc.uint8Array({ maxLength: 700 }),
    steps: fc.array(fc.integer({ min: 0, max: 90 }), { minLength: 1, maxLength: 12 }),
    version: fc.constantFrom(0 as const, 1 as const),
    leafBytes: fc.integer({ min: 1, max: 80 }),
    links: fc.integer({ min: 2, max: 6 }),
  });
  await fc.assert(
    fc.asyncProperty(file, async ({ bytes, steps, version, leafBytes, links }) => {
      const shape = { cidVersion: version, chunkBytes: leafBytes, links };
      expect(await computeCid(cutChunks(bytes, steps), version, { leafBytes, links })).toEqual(
        (await computeImporterCids({ name: bytes }, shape))["name"],
      );
    }),
    { numRuns: 1_000 },
  );
});

test.each([
  ["256 KiB", 256 * KIB, 174],
  ["1 MiB", 1024 * KIB, 1_024],
] as const)("leaves of %s have the importer's CIDs at every edge", async (_, leafBytes, links) => {
  const bytes = Uint8Array.from({ length: 2 * leafBytes + 1 }, (_, at) => (at * 31 + (at >> 10)) & 0xff);
  for (const size of [1, 127, 128, leafBytes - 1, leafBytes, leafBytes + 1, 2 * leafBytes, 2 * leafBytes + 1]) {
    for (const version of [0, 1] as const) {
      const prefix = bytes.subarray(0, size);
      const shape = { cidVersion: version, chunkBytes: leafBytes, links };
      const expected = (await computeImporterCids({ name: prefix }, shape))["name"];
      expect(await computeCid(cutChunks(prefix, [70_001]), version, { leafBytes, links }), `${size} bytes`).toEqual(
        expected,
      );
    }
  }
});

test("a node that is full, and one more leaf, have the importer's CIDs", async () => {
  for (const leaves of [174, 175]) {
    const bytes = new Uint8Array(leaves * 256 * KIB).fill(leaves);
    expect(await computeCid(cutChunks(bytes, [512 * KIB + 28]), 1)).toEqual(
      (await computeImporterCids({ name: bytes }, { cidVersion: 1 }))["name"],
    );
  }
});

/** Cuts `bytes` into chunks of these sizes, repeating the last; yields all at once if that would never end. */
function* cutChunks(bytes: Uint8Array, steps: readonly number[]): Generator<Uint8Array> {
  let at = 0;
  for (const step of steps) {
    yield bytes.subarray(at, at + step);
    at = Math.min(at + step, bytes.length);
  }
  const rest = steps.at(-1) || bytes.length || 1;
  for (; at < bytes.length; at += rest) yield bytes.subarray(at, at + rest);
}
