import { describe, expect, it } from "vitest";
import { keyCandidates } from "../../src/kavach/shards/candidates.ts";
import { kavachGenerate, kavachShardKey } from "../../src/kavach/shards/generate.ts";
import { kavachRecoverKey } from "../../src/kavach/shards/recover.ts";
import type { KeyShard, ShardScheme } from "../../src/kavach/shards/sharing.ts";
import { choose, failure, lie, replaced } from "./shard-tools.ts";

const schemes: ShardScheme[] = ["bls12-381", "gf256"];

describe.each(schemes)("%s", (scheme) => {
  it("names one liar of five at every position and recovers, 200 times", async () => {
    for (let round = 0; round < 200; round++) {
      const { masterKey, keyShards } = await kavachGenerate({ scheme });
      const liar = round % 5;
      const shards = replaced(keyShards, liar, lie);
      expect(await kavachRecoverKey(shards)).toEqual({ masterKey, faultyShards: [liar] });
    }
  });

  it("names a node that gives another file's shard, or another index", async () => {
    for (let liar = 0; liar < 5; liar++) {
      const { masterKey, keyShards } = await kavachGenerate({ scheme });
      const freeIndex = (shard: KeyShard) => !keyShards.some(({ index }) => index === shard.index);
      const strangers = (await kavachGenerate({ scheme, keyCount: 12 })).keyShards.filter(freeIndex);
      const [stranger = { key: "", index: "" }] = strangers;
      const swapped = replaced(keyShards, liar, () => stranger);
      expect(await kavachRecoverKey(swapped)).toEqual({ masterKey, faultyShards: [liar] });
      const moved = replaced(keyShards, liar, ({ key }) => ({ key, index: stranger.index }));
      expect(await kavachRecoverKey(moved)).toEqual({ masterKey, faultyShards: [liar] });
    }
  });

  it("names the liar with other counts too", async () => {
    for (const [threshold, keyCount] of [
      [2, 4],
      [2, 7],
      [4, 6],
      [5, 9],
    ] as const) {
      for (let liar = 0; liar < keyCount; liar++) {
        const { masterKey, keyShards } = await kavachGenerate({ scheme, threshold, keyCount });
        const shards = replaced(keyShards, liar, lie);
        expect(await kavachRecoverKey(shards, { threshold })).toEqual({ masterKey, faultyShards: [liar] });
      }
    }
  });

  it("refuses four shards of which one lies: nothing tells which", async () => {
    for (let liar = 0; liar < 4; liar++) {
      const { keyShards } = await kavachGenerate({ scheme, keyCount: 4 });
      const error = await failure(kavachRecoverKey(replaced(keyShards, liar, lie)));
      expect(error).toMatchObject({
        code: "CANNOT_RECOVER_KEY",
        message: "can't recover Key",
        details: { needed: 3, got: 4, reason: "the shards do not belong together" },
      });
    }
  });

  it("refuses five shards of which two lie", async () => {
    for (const [first = 0, second = 0] of choose([0, 1, 2, 3, 4], 2)) {
      const { keyShards } = await kavachGenerate({ scheme });
      const shards = replaced(replaced(keyShards, first, lie), second, lie);
      expect(await failure(kavachRecoverKey(shards))).toMatchObject({ code: "CANNOT_RECOVER_KEY" });
    }
  });

  it("three shards cannot be checked: a lie gives a wrong key and no error", async () => {
    const { masterKey, keyShards } = await kavachGenerate({ scheme, keyCount: 3 });
    const recovered = await kavachRecoverKey(replaced(keyShards, 1, lie));
    expect(recovered.faultyShards).toEqual([]);
    expect(recovered.masterKey).not.toBe(masterKey);
  });

  it("the candidates of honest shards are the key alone", async () => {
    const { masterKey, keyShards } = await kavachGenerate({ scheme });
    for (const size of [3, 4, 5]) expect(await keyCandidates(keyShards.slice(0, size), 3)).toEqual([masterKey]);
    expect(await keyCandidates(keyShards.slice(0, 2), 3)).toEqual([]);
  });

  it("the first candidate is the key where the liar can be named", async () => {
    const { masterKey, keyShards } = await kavachGenerate({ scheme });
    const candidates = await keyCandidates(replaced(keyShards, 2, lie), 3);
    expect(candidates[0]).toBe(masterKey);
    expect(candidates.length).toBeLessThanOrEqual(15);
    expect(new Set(candidates).size).toBe(candidates.length);
  });

  it("the key is among the candidates of four with one liar and of five with two", async () => {
    const { masterKey, keyShards } = await kavachGenerate({ scheme });
    for (let liar = 0; liar < 4; liar++) {
      expect(await keyCandidates(replaced(keyShards.slice(0, 4), liar, lie), 3)).toContain(masterKey);
    }
    for (const [first = 0, second = 0] of choose([0, 1, 2, 3, 4], 2)) {
      const shards = replaced(replaced(keyShards, first, lie), second, lie);
      expect(await keyCandidates(shards, 3)).toContain(masterKey);
    }
  });

  it("malformed and copied shards do not hide the key from the candidates", async () => {
    const { masterKey, keyShards } = await kavachGenerate({ scheme });
    const [first = { key: "", index: "" }, ...others] = keyShards;
    const copied = [first, ...others.slice(0, 2), lie(first)];
    expect(await keyCandidates(copied, 3)).toContain(masterKey);
    const malformed = [{ key: "", index: "" }, first, { key: first.key, index: "0000" }, ...others.slice(0, 2)];
    expect(await keyCandidates(malformed, 3)).toEqual([masterKey]);
  });
});

it("candidates stay few however many shards there are", async () => {
  const { masterKey, keyShards } = await kavachGenerate({ keyCount: 30 });
  const candidates = await keyCandidates(replaced(keyShards, 0, lie), 3);
  expect(candidates[0]).toBe(masterKey);
  expect(candidates.length).toBeLessThanOrEqual(41);
});

it("candidates refuse a threshold of 1", async () => {
  const { keyShards } = await kavachShardKey("11".repeat(32));
  expect(await failure(keyCandidates(keyShards, 1))).toMatchObject({ code: "INVALID_OPTION" });
});
