import { describe, expect, it } from "vitest";
import { kavachGenerate, kavachShardKey, type ShardOptions } from "../../src/keys/shards/generate.ts";
import { kavachRecoverKey } from "../../src/keys/shards/recover.ts";
import type { KeyShard, ShardScheme } from "../../src/keys/shards/schemes.ts";
import { isKeyShard } from "../../src/keys/shards/schemes.ts";
import { choose, failure, ORDER, toHex } from "./shard-tools.ts";

const schemes: ShardScheme[] = ["bls12-381", "gf256"];
const counts = [
  [2, 2],
  [2, 5],
  [3, 5],
  [4, 5],
  [5, 5],
  [3, 9],
] as const;

describe.each(schemes)("%s", (scheme) => {
  it("makes a 64-character key and five valid shards", async () => {
    const { masterKey, keyShards } = await kavachGenerate({ scheme });
    expect(masterKey).toMatch(/^[0-9a-f]{64}$/);
    expect(keyShards).toHaveLength(5);
    expect(keyShards.every(isKeyShard)).toBe(true);
    for (const shard of keyShards) {
      expect(shard.key).toMatch(/^[0-9a-f]{64}$/);
      expect(shard.index).toMatch(scheme === "gf256" ? /^[0-9a-f]{2}$/ : /^[0-9a-f]{64}$/);
    }
  });

  it("recovers from each of the 10 triples of 5, in any order", async () => {
    const { masterKey, keyShards } = await kavachGenerate({ scheme });
    const triples = choose(keyShards, 3);
    expect(triples).toHaveLength(10);
    for (const triple of [...triples, ...triples.map((shards) => shards.toReversed())]) {
      expect(await kavachRecoverKey(triple)).toEqual({ masterKey, faultyShards: [] });
    }
  });

  it("recovers from no pair of 5", async () => {
    const { masterKey, keyShards } = await kavachGenerate({ scheme });
    const pairs = choose(keyShards, 2);
    expect(pairs).toHaveLength(10);
    for (const pair of pairs) {
      const error = await failure(kavachRecoverKey(pair));
      expect(error).toMatchObject({
        code: "CANNOT_RECOVER_KEY",
        message: "can't recover Key",
        details: { needed: 3, got: 2 },
      });
      expect((await kavachRecoverKey(pair, { threshold: 2 })).masterKey).not.toBe(masterKey);
    }
  });

  it.each(counts)(
    "with threshold %i of %i: threshold shards recover, one fewer do not",
    async (threshold, keyCount) => {
      const { masterKey, keyShards } = await kavachGenerate({ threshold, keyCount, scheme });
      expect(keyShards).toHaveLength(keyCount);
      expect(new Set(keyShards.map(({ index }) => index)).size).toBe(keyCount);
      for (let size = threshold; size <= keyCount; size++) {
        for (const subset of choose(keyShards, size)) {
          expect(await kavachRecoverKey(subset, { threshold })).toEqual({ masterKey, faultyShards: [] });
        }
      }
      if (threshold === 2) return;
      for (const subset of choose(keyShards, threshold - 1)) {
        const { masterKey: other } = await kavachRecoverKey(subset, { threshold: threshold - 1 });
        expect(other).not.toBe(masterKey);
      }
    },
  );

  it("splits an existing key, with the degree of its threshold", async () => {
    const { masterKey } = await kavachGenerate({ scheme });
    const { keyShards } = await kavachShardKey(masterKey, { scheme });
    for (const triple of choose(keyShards, 3)) {
      expect((await kavachRecoverKey(triple)).masterKey).toBe(masterKey);
    }
  });

  it("returns different shards each time, and accepts upper case", async () => {
    const { masterKey } = await kavachGenerate({ scheme });
    const first = await kavachShardKey(masterKey.toUpperCase(), { scheme });
    const second = await kavachShardKey(masterKey, { scheme });
    expect(first).not.toEqual(second);
    const upperCase = first.keyShards.map(({ key, index }) => ({ key: key.toUpperCase(), index: index.toUpperCase() }));
    expect(await kavachRecoverKey(upperCase)).toEqual({ masterKey, faultyShards: [] });
  });

  const tooSmall = "threshold: expected a whole number of at least 2";
  const tooLarge = "threshold: expected no more shards needed than there are (keyCount)";
  it.each<[ShardOptions, string]>([
    [{ threshold: 1 }, tooSmall],
    [{ threshold: 0 }, tooSmall],
    [{ threshold: -3 }, tooSmall],
    [{ threshold: 2.5 }, tooSmall],
    [{ threshold: Number.NaN }, tooSmall],
    [{ threshold: "3" as unknown as number }, tooSmall],
    [{ threshold: 6 }, tooLarge],
    [{ threshold: 3, keyCount: 2 }, tooLarge],
    [{ keyCount: 5.5 }, "keyCount: expected a whole number"],
    [{ keyCount: Number.POSITIVE_INFINITY }, "keyCount: expected a whole number"],
  ])("refuses %o", async (options, problem) => {
    const refused = { code: "INVALID_OPTION", message: `Invalid option ${problem}` };
    expect(await failure(kavachGenerate({ scheme, ...options } as { keyCount: 5 }))).toMatchObject(refused);
    expect(await failure(kavachShardKey("ab".repeat(32), { scheme, ...options } as { keyCount: 5 }))).toMatchObject(
      refused,
    );
  });

  it.each([1, 0, 2.5, Number.NaN])("recovery refuses the threshold %d", async (threshold) => {
    const { keyShards } = await kavachGenerate({ scheme });
    expect(await failure(kavachRecoverKey(keyShards, { threshold }))).toMatchObject({
      code: "INVALID_OPTION",
      details: { option: "threshold" },
    });
  });
});

it("refuses an unknown scheme", async () => {
  for (const scheme of ["rsa", "toString", ""]) {
    expect(await failure(kavachGenerate({ scheme: scheme as ShardScheme }))).toMatchObject({
      code: "INVALID_OPTION",
      message: "Invalid option scheme: expected bls12-381 or gf256",
      details: { option: "scheme" },
    });
  }
});

it("gf256 makes 255 shards and refuses 256", async () => {
  const { masterKey, keyShards } = await kavachGenerate({ scheme: "gf256", threshold: 200, keyCount: 255 });
  expect((await kavachRecoverKey(keyShards.slice(40, 240), { threshold: 200 })).masterKey).toBe(masterKey);
  expect(await failure(kavachGenerate({ scheme: "gf256", keyCount: 256 }))).toMatchObject({
    code: "INVALID_OPTION",
    message: "Invalid option keyCount: expected at most 255 in this scheme",
    details: { option: "keyCount" },
  });
});

it.each([1, 2, 31, 33, 1000])("gf256 splits a secret of %i bytes", async (size) => {
  const secret = "00a1".repeat(size).slice(0, 2 * size);
  const { keyShards } = await kavachShardKey(secret, { scheme: "gf256" });
  expect(keyShards.every(({ key }) => key.length === 2 * size)).toBe(true);
  for (const triple of choose(keyShards, 3)) expect((await kavachRecoverKey(triple)).masterKey).toBe(secret);
});

describe("keys that cannot be split", () => {
  const refused: [ShardScheme, string, unknown, string][] = [
    ["bls12-381", "the order itself", toHex(ORDER), "must be below the order of the BLS12-381 scalar field"],
    ["bls12-381", "all ones", "f".repeat(64), "must be below the order of the BLS12-381 scalar field"],
    ["bls12-381", "63 characters", "1".repeat(63), "must be 64 hex characters"],
    ["bls12-381", "66 characters", "1".repeat(66), "must be 64 hex characters"],
    ["bls12-381", "0x before it", `0x${"1".repeat(62)}`, "must be hex"],
    ["bls12-381", "a letter that is not hex", `${"1".repeat(63)}g`, "must be hex"],
    ["bls12-381", "a line end after it", `${"1".repeat(64)}\n`, "must be hex"],
    ["bls12-381", "nothing", "", "must be 64 hex characters"],
    ["bls12-381", "undefined", undefined, "must be hex"],
    ["bls12-381", "bytes", new Uint8Array(32), "must be hex"],
    ["gf256", "nothing", "", "must be whole bytes, at least one"],
    ["gf256", "half a byte", "abc", "must be whole bytes, at least one"],
    ["gf256", "a letter that is not hex", "zz", "must be hex"],
    ["gf256", "a number", 12, "must be hex"],
  ];

  it.each(refused)("%s: %s", async (scheme, _what, key, problem) => {
    const error = await failure(kavachShardKey(key as string, { scheme }));
    expect(error).toMatchObject({ code: "INVALID_KEY", message: `Invalid key: masterKey ${problem}` });
    if (typeof key === "string" && key.length > 2)
      expect(JSON.stringify(error) + error.stack).not.toContain(key.trim());
  });

  it("bls12-381 takes the largest element and zero", async () => {
    for (const masterKey of [toHex(ORDER - 1n), toHex(0n)]) {
      const { keyShards } = await kavachShardKey(masterKey);
      expect((await kavachRecoverKey(keyShards.slice(1, 4))).masterKey).toBe(masterKey);
    }
  });
});

describe("invalid shards", () => {
  const one = { key: "1".repeat(64), index: "2".repeat(64) };
  const two = { key: "1".repeat(64), index: "3".repeat(64) };
  const three = { key: "1".repeat(64), index: "4".repeat(64) };
  const belowOrder = "must be below the order of the BLS12-381 scalar field";
  const indexLengths = "index must be 64 hex characters (bls12-381) or 2 (gf256)";
  const small: KeyShard = { key: "1".repeat(64), index: "01" };
  const refused: [string, unknown, string][] = [
    ["not a list", { ...one }, "keyShards must be an array of objects { index, key }"],
    ["null", null, "keyShards must be an array of objects { index, key }"],
    ["a string", "shards", "keyShards must be an array of objects { index, key }"],
    ["a list of strings", ["a", "b", "c"], "keyShards[0]: must be an object { index, key }"],
    ["a hole", new Array(3), "keyShards[0]: must be an object { index, key }"],
    ["null in it", [one, two, null], "keyShards[2]: must be an object { index, key }"],
    ["index missing", [one, two, { key: one.key }], "keyShards[2]: must have index and key"],
    ["key missing", [one, two, { index: one.index }], "keyShards[2]: must have index and key"],
    ["index a number", [one, two, { key: one.key, index: 5 }], "keyShards[2]: index and key must be strings"],
    ["key a number", [one, two, { key: 5, index: one.index }], "keyShards[2]: index and key must be strings"],
    ["key not hex", [one, two, { ...three, key: "g".repeat(64) }], "keyShards[2]: index and key must be hex"],
    ["key too short", [one, two, { ...three, key: "1".repeat(62) }], "keyShards[2]: key must be 64 hex characters"],
    ["key empty", [{ key: "", index: "04" }], "keyShards[0]: key must be whole bytes, at least one"],
    ["key of half a byte", [{ key: "abc", index: "04" }], "keyShards[0]: key must be whole bytes, at least one"],
    ["key not below the order", [one, two, { ...three, key: toHex(ORDER) }], `keyShards[2]: key ${belowOrder}`],
    ["index not below the order", [one, two, { ...three, index: toHex(ORDER) }], `keyShards[2]: index ${belowOrder}`],
    ["index of a strange length", [one, two, { ...three, index: "4".repeat(62) }], `keyShards[2]: ${indexLengths}`],
    ["index zero", [one, two, { ...three, index: toHex(0n) }], "keyShards[2]: index must not be zero"],
    ["index zero in gf256", [small, { ...small, index: "00" }], "keyShards[1]: index must not be zero"],
    ["the same index twice", [one, two, { ...three, index: one.index }], "keyShards have the same index twice"],
    [
      "the same index twice in another case",
      [{ ...small, index: "ab" }, { ...small, index: "AB" }, small],
      "keyShards have the same index twice",
    ],
    ["both schemes", [one, two, small], "keyShards are of different schemes"],
    ["two lengths in gf256", [small, { key: "11", index: "02" }], "keyShards are of different lengths"],
  ];

  it.each(refused)("%s", async (_what, shards, message) => {
    const error = await failure(kavachRecoverKey(shards as KeyShard[]));
    expect(error).toMatchObject({ code: "INVALID_SHARDS", message });
    expect(JSON.stringify(error)).not.toMatch(/[0-9a-f]{60}/);
  });

  it.each(refused.filter(([, , message]) => message.includes("]: ")))("%s: no shard by itself", (_what, shards) => {
    expect(Array.from(shards as unknown[]).every(isKeyShard)).toBe(false);
  });

  it("the error identifies the shard", async () => {
    const error = await failure(kavachRecoverKey([one, two, { key: one.key, index: toHex(0n) }]));
    expect(error).toMatchObject({ message: "keyShards[2]: index must not be zero", details: { position: 2 } });
  });

  it("an empty list has too few shards, but is not malformed", async () => {
    expect(await failure(kavachRecoverKey([] as KeyShard[]))).toMatchObject({
      code: "CANNOT_RECOVER_KEY",
      details: { needed: 3, got: 0 },
    });
  });
});
