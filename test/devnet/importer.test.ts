import { createCipheriv, createHash } from "node:crypto";
import { expect, test } from "vitest";
import { type ImportShape, importTree } from "../../src/devnet/content/importer.ts";

const KIB = 1024;
const MIB = 1024 * KIB;

/** The keystream that Kubo's own tests hash: ChaCha20, key SHA-256 of the seed, zero nonce. */
async function* keystream(seed: string, size: number): AsyncGenerator<Uint8Array> {
  const cipher = createCipheriv("chacha20", createHash("sha256").update(seed).digest(), Buffer.alloc(16));
  const zeros = Buffer.alloc(60_000);
  for (let left = size; left > 0; left -= zeros.length) yield cipher.update(zeros.subarray(0, left));
}

async function* bytes(text: string): AsyncGenerator<Uint8Array> {
  if (text !== "") yield Buffer.from(text);
}

async function cidOf(content: AsyncIterable<Uint8Array>, shape: Partial<ImportShape>): Promise<string | undefined> {
  const candidates = (async function* () {
    yield { path: "name", content };
  })();
  let last: string | undefined;
  for await (const { cid } of importTree(candidates, { cidVersion: 0, wrap: false, ...shape })) last = cid;
  return last;
}

test.each([
  ["hello world\n", 0, "QmT78zSuBmuS4z925WZfrqQ1qHaJ56DQaTfyMUF7F8ff5o"],
  ["hello world\n", 1, "bafkreifjjcie6lypi6ny7amxnfftagclbuxndqonfipmb64f2km2devei4"],
  ["hello world", 0, "Qmf412jQZiuVUtdgnB36FXFX7xg5V6KEbSJ4dpQuhkLyfD"],
  ["hello world", 1, "bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e"],
  ["", 0, "QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQH"],
  ["", 1, "bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku"],
] as const)("%j in version %i has Kubo's content id", async (text, cidVersion, cid) => {
  expect(await cidOf(bytes(text), { cidVersion })).toBe(cid);
});

test.each([
  ["174 leaves, one level", "v0-seed", 44_544 * KIB, {}, "QmUbBALi174SnogsUzLpYbD4xPiBSFANF4iztWCsHbMKh2"],
  ["175 leaves, two levels", "v0-seed", 44_800 * KIB, {}, "QmepeWtdmS1hHXx1oZXsPUv6bMrfRRKfZcoPPU4eEfjnbf"],
  [
    "174 raw leaves of 1 MiB",
    "v1-seed",
    174 * MIB,
    { cidVersion: 1, chunkBytes: MIB },
    "bafybeigwduxcf2aawppv3isnfeshnimkyplvw3hthxjhr2bdeje4tdaicu",
  ],
] as const)("%s have the content id of Kubo's own tests", async (_, seed, size, shape, cid) => {
  expect(await cidOf(keystream(seed, size), shape)).toBe(cid);
});
