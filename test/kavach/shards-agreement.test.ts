import { describe, expect, it } from "vitest";
import { kavachGenerate, kavachShardKey } from "../../src/keys/shards/generate.ts";
import { findFaultyShards, kavachRecoverKey, keyCandidates } from "../../src/keys/shards/recover.ts";
import type { KeyShard, ShardScheme } from "../../src/keys/shards/schemes.ts";
import { choose, corruptShard, failure, replaceAt } from "./shard-tools.ts";

const schemes: ShardScheme[] = ["bls12-381", "gf256"];

describe.each(schemes)("%s", (scheme) => {
  it("identifies one faulty shard of five at every position and recovers, 200 times", async () => {
    for (let round = 0; round < 200; round++) {
      const { masterKey, keyShards } = await kavachGenerate({ scheme });
      const faulty = round % 5;
      const shards = replaceAt(keyShards, faulty, corruptShard);
      expect(await kavachRecoverKey(shards)).toEqual({ masterKey, faultyShards: [faulty] });
    }
  });

  it("identifies a shard of another file, or with another index", async () => {
    for (let faulty = 0; faulty < 5; faulty++) {
      const { masterKey, keyShards } = await kavachGenerate({ scheme });
      const freeIndex = (shard: KeyShard) => !keyShards.some(({ index }) => index === shard.index);
      const strangers = (await kavachGenerate({ scheme, keyCount: 12 })).keyShards.filter(freeIndex);
      const [stranger = { key: "", index: "" }] = strangers;
      const swapped = replaceAt(keyShards, faulty, () => stranger);
      expect(await kavachRecoverKey(swapped)).toEqual({ masterKey, faultyShards: [faulty] });
      const moved = replaceAt(keyShards, faulty, ({ key }) => ({ key, index: stranger.index }));
      expect(await kavachRecoverKey(moved)).toEqual({ masterKey, faultyShards: [faulty] });
    }
  });

  it("identifies the faulty shard with other counts too", async () => {
    for (const [threshold, keyCount] of [
      [2, 4],
      [2, 7],
      [4, 6],
      [5, 9],
    ] as const) {
      for (let faulty = 0; faulty < keyCount; faulty++) {
        const { masterKey, keyShards } = await kavachGenerate({ scheme, threshold, keyCount });
        const shards = replaceAt(keyShards, faulty, corruptShard);
        expect(await kavachRecoverKey(shards, { threshold })).toEqual({ masterKey, faultyShards: [faulty] });
      }
    }
  });

  it("refuses four shards of which one is faulty, as nothing shows which", async () => {
    for (let faulty = 0; faulty < 4; faulty++) {
      const { keyShards } = await kavachGenerate({ scheme, keyCount: 4 });
      const error = await failure(kavachRecoverKey(replaceAt(keyShards, faulty, corruptShard)));
      expect(error).toMatchObject({
        code: "CANNOT_RECOVER_KEY",
        message: "can't recover Key",
        details: { needed: 3, got: 4, reason: "the shards do not belong together" },
      });
    }
  });

  it("refuses five shards of which two are faulty", async () => {
    for (const [first = 0, second = 0] of choose([0, 1, 2, 3, 4], 2)) {
      const { keyShards } = await kavachGenerate({ scheme });
      const shards = replaceAt(replaceAt(keyShards, first, corruptShard), second, corruptShard);
      expect(await failure(kavachRecoverKey(shards))).toMatchObject({ code: "CANNOT_RECOVER_KEY" });
    }
  });

  it("three shards cannot be checked: a faulty one yields a wrong key and no error", async () => {
    const { masterKey, keyShards } = await kavachGenerate({ scheme, keyCount: 3 });
    const recovered = await kavachRecoverKey(replaceAt(keyShards, 1, corruptShard));
    expect(recovered.faultyShards).toEqual([]);
    expect(recovered.masterKey).not.toBe(masterKey);
  });

  it("the only candidate of correct shards is the key", async () => {
    const { masterKey, keyShards } = await kavachGenerate({ scheme });
    for (const size of [3, 4, 5]) expect(await keyCandidates(keyShards.slice(0, size), 3)).toEqual([masterKey]);
    expect(await keyCandidates(keyShards.slice(0, 2), 3)).toEqual([]);
  });

  it("the first candidate is the key if the faulty shard can be identified", async () => {
    const { masterKey, keyShards } = await kavachGenerate({ scheme });
    const candidates = await keyCandidates(replaceAt(keyShards, 2, corruptShard), 3);
    expect(candidates[0]).toBe(masterKey);
    expect(candidates.length).toBeLessThanOrEqual(15);
    expect(new Set(candidates).size).toBe(candidates.length);
  });

  it("the key is among the candidates of four with one faulty shard and of five with two", async () => {
    const { masterKey, keyShards } = await kavachGenerate({ scheme });
    for (let faulty = 0; faulty < 4; faulty++) {
      expect(await keyCandidates(replaceAt(keyShards.slice(0, 4), faulty, corruptShard), 3)).toContain(masterKey);
    }
    for (const [first = 0, second = 0] of choose([0, 1, 2, 3, 4], 2)) {
      const shards = replaceAt(replaceAt(keyShards, first, corruptShard), second, corruptShard);
      expect(await keyCandidates(shards, 3)).toContain(masterKey);
    }
  });

  it("the key of a file that needs all five shards is among the candidates", async () => {
    const { masterKey, keyShards } = await kavachGenerate({ scheme, threshold: 5 });
    expect(await keyCandidates(keyShards, 3)).toContain(masterKey);
  });

  it("five shards of a file that needs four are recovered only if an older client could have made them", async () => {
    const { masterKey, keyShards } = await kavachGenerate({ scheme, threshold: 4 });
    const result = await kavachRecoverKey(keyShards).catch(({ code }) => code);
    expect(result).toEqual(scheme === "gf256" ? "CANNOT_RECOVER_KEY" : { masterKey, faultyShards: [] });
  });

  it.each([3, 4])(
    "the shards that do not belong to the right key are found, of a file that needs %i",
    async (needed) => {
      const { masterKey, keyShards } = await kavachGenerate({ scheme, threshold: needed, keyCount: 5 });
      expect(await findFaultyShards(masterKey, keyShards, 3)).toEqual([]);
      for (let first = 0; first < 5; first++) {
        const oneFaulty = replaceAt(keyShards, first, corruptShard);
        expect(await findFaultyShards(masterKey, oneFaulty, 3)).toEqual([first]);
        const oneMalformed = replaceAt(keyShards, first, () => ({ key: "", index: "" }));
        expect(await findFaultyShards(masterKey, oneMalformed, 3)).toEqual([first]);
      }
      const twoFaulty = replaceAt(replaceAt(keyShards, 1, corruptShard), 3, corruptShard);
      expect(await findFaultyShards(masterKey, twoFaulty, 3)).toEqual(needed === 3 ? [1, 3] : []);
      expect(await findFaultyShards("ab".repeat(32), keyShards, 3)).toEqual([]);
    },
  );

  it("malformed and duplicate shards do not hide the key from the candidates", async () => {
    const { masterKey, keyShards } = await kavachGenerate({ scheme });
    const [first = { key: "", index: "" }, ...others] = keyShards;
    const copied = [first, ...others.slice(0, 2), corruptShard(first)];
    expect(await keyCandidates(copied, 3)).toContain(masterKey);
    const malformed = [{ key: "", index: "" }, first, { key: first.key, index: "0000" }, ...others.slice(0, 2)];
    expect(await keyCandidates(malformed, 3)).toEqual([masterKey]);
  });
});

it("the number of candidates is limited, for any number of shards", async () => {
  const { masterKey, keyShards } = await kavachGenerate({ keyCount: 30 });
  const candidates = await keyCandidates(replaceAt(keyShards, 0, corruptShard), 3);
  expect(candidates[0]).toBe(masterKey);
  expect(candidates.length).toBeLessThanOrEqual(41);
});

it("candidates refuse a threshold of 1", async () => {
  const { keyShards } = await kavachShardKey("11".repeat(32));
  expect(await failure(keyCandidates(keyShards, 1))).toMatchObject({ code: "INVALID_OPTION" });
});
