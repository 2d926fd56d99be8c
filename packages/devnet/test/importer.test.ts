import { expect, test } from "vitest";
import { keystream, keystreamIds, textIds } from "../../../test/support/kubo-ids.ts";
import { type ImportShape, importTree } from "../src/content/importer.ts";

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
