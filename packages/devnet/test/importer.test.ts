import { buffer } from "node:stream/consumers";
import { CID } from "multiformats/cid";
import { expect, test } from "vitest";
import { keystream, keystreamIds, textIds } from "../../../test/support/kubo-ids.ts";
import { type ImportShape, importTree } from "../src/content/importer.ts";
import { toBlockKey } from "../src/content/store.ts";
import { readFile } from "../src/content/tree.ts";

async function computeCid(chunks: Iterable<Uint8Array>, shape: Partial<ImportShape>): Promise<string | undefined> {
  const content = (async function* () {
    yield* chunks;
  })();
  const candidates = (async function* () {
    yield { path: "name", content };
  })();
  let last: string | undefined;
  for await (const { cid } of importTree(candidates, { cidVersion: 0, wrap: false, ...shape })) last = cid;
  return last;
}

test.each(textIds)("$text in version $version has Kubo's content id", async ({ text, version, cid }) => {
  expect(await computeCid(text === "" ? [] : [Buffer.from(text)], { cidVersion: version })).toBe(cid);
});

test.each(keystreamIds)("$name have the content id of Kubo's own tests", async ({ seed, bytes, version, ...rest }) => {
  const shape = { cidVersion: version, chunkBytes: rest.leafBytes };
  expect(await computeCid(keystream(seed, bytes), shape)).toBe(rest.cid);
});

test.each([0, 1] as const)(
  "any bytes of an imported file, in version %i, are read from its blocks",
  async (cidVersion) => {
    const bytes = Buffer.from(Array.from({ length: 23 }, (_, at) => at));
    const blocks = new Map<string, Uint8Array>();
    const candidates = (async function* () {
      yield {
        path: "f",
        content: (async function* () {
          yield bytes;
        })(),
      };
    })();
    const shape = { cidVersion, wrap: false, chunkBytes: 3, links: 2 };
    const keep = async (block: { cid: CID; bytes: Uint8Array }) => void blocks.set(toBlockKey(block.cid), block.bytes);
    let root = "";
    for await (const { cid } of importTree(candidates, shape, keep)) root = cid;
    const readBlock = async (cid: CID) => blocks.get(toBlockKey(cid)) ?? Buffer.of();
    for (let from = 0; from < bytes.length; from++) {
      for (let to = from; to <= bytes.length; to++) {
        const read = await buffer(readFile(readBlock, CID.parse(root), { from, to }));
        expect(read.equals(bytes.subarray(from, to + 1))).toBe(true);
      }
    }
    expect((await buffer(readFile(readBlock, CID.parse(root)))).equals(bytes)).toBe(true);
  },
);
