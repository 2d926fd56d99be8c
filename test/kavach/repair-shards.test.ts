import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { makeAnotherShard } from "../../src/keys/file-keys/repair.ts";
import { kavachGenerate } from "../../src/keys/shards/generate.ts";
import { kavachRecoverKey } from "../../src/keys/shards/recover.ts";
import { fromHex } from "../crypto/helpers.ts";
import { choose, failure } from "./shard-tools.ts";

const schemes = fc.constantFrom("bls12-381" as const, "gf256" as const);

test("a new shard recovers the key with any of the original ones", async () => {
  await fc.assert(
    fc.asyncProperty(schemes, fc.integer({ min: 2, max: 4 }), fc.nat({ max: 2 }), async (scheme, threshold, spare) => {
      const { masterKey, keyShards } = await kavachGenerate({ scheme, threshold, keyCount: threshold + spare });
      const fresh = await makeAnotherShard(keyShards);
      expect(keyShards.map(({ index }) => index)).not.toContain(fresh.index);
      expect(fresh.index).toHaveLength(keyShards[0]?.index.length ?? 0);
      for (const others of choose(keyShards, threshold - 1)) {
        expect((await kavachRecoverKey([fresh, ...others], { threshold })).masterKey).toBe(masterKey);
      }
      if (spare > 0)
        expect(await kavachRecoverKey([...keyShards, fresh], { threshold })).toEqual({ masterKey, faultyShards: [] });
    }),
    { numRuns: 100 },
  );
});

test.each(["bls12-381", "gf256"] as const)("new shards of scheme %s alone recover the key", async (scheme) => {
  const { masterKey, keyShards } = await kavachGenerate({ scheme });
  let shards = keyShards.slice(0, 3);
  for (let round = 0; round < 6; round++) shards = [...shards.slice(1), await makeAnotherShard(shards)];
  expect((await kavachRecoverKey(shards)).masterKey).toBe(masterKey);
});

test("draws another index if one is taken", async () => {
  const { masterKey, keyShards } = await kavachGenerate();
  const taken = keyShards.map(({ index }) => fromHex(index)).values();
  const draw = crypto.getRandomValues.bind(crypto);
  const random = vi.spyOn(crypto, "getRandomValues").mockImplementation((bytes) => {
    const { value, done } = taken.next();
    if (done) return draw(bytes);
    (bytes as unknown as Uint8Array).set(value);
    return bytes;
  });
  try {
    const fresh = await makeAnotherShard(keyShards);
    expect(keyShards.map(({ index }) => index)).not.toContain(fresh.index);
    expect((await kavachRecoverKey([fresh, ...keyShards.slice(0, 2)])).masterKey).toBe(masterKey);
  } finally {
    random.mockRestore();
  }
});

test("finds the last free index in gf256", async () => {
  const { masterKey, keyShards } = await kavachGenerate({ scheme: "gf256", keyCount: 254 });
  const fresh = await makeAnotherShard(keyShards);
  expect(new Set([...keyShards, fresh].map(({ index }) => index)).size).toBe(255);
  expect((await kavachRecoverKey([fresh, ...keyShards.slice(0, 2)])).masterKey).toBe(masterKey);
});

test("refuses to make a shard from an empty list, or from shards of different schemes", async () => {
  const [a, b] = [await kavachGenerate(), await kavachGenerate({ scheme: "gf256" })];
  expect(await failure(makeAnotherShard([]))).toMatchObject({ code: "CANNOT_RECOVER_KEY", details: { got: 0 } });
  expect((await failure(makeAnotherShard([...a.keyShards, ...b.keyShards]))).code).toBe("INVALID_SHARDS");
});
