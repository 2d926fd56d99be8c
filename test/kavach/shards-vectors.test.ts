import { describe, expect, it } from "vitest";
import { kavachShardKey } from "../../src/keys/shards/generate.ts";
import { kavachRecoverKey, keyCandidates } from "../../src/keys/shards/recover.ts";
import { interopVectors } from "../support/vectors.ts";
import { choose, corruptShard, failure, replaceAt } from "./shard-tools.ts";

const { files, shards, sharded, unshardable } = interopVectors;

it.each(files)(
  "every triple, four and all five shards of the file $label recover",
  async ({ masterKey, keyShards }) => {
    for (const size of [3, 4, 5]) {
      for (const subset of choose(keyShards, size)) {
        expect(await kavachRecoverKey(subset)).toEqual({ masterKey, faultyShards: [] });
      }
    }
  },
);

it.each(shards)("shards of a key generated $threshold of $keyCount recover", async (vector) => {
  const { threshold, keyCount, masterKey, keyShards } = vector;
  expect(keyShards).toHaveLength(keyCount);
  for (let size = threshold; size <= keyCount; size++) {
    for (const subset of choose(keyShards, size)) {
      expect(await kavachRecoverKey(subset, { threshold })).toEqual({ masterKey, faultyShards: [] });
    }
  }
});

describe.each(sharded)("shards of older clients' shardKey, one degree too high (%#)", (vector) => {
  const { key, keyShards, recoveredFromThree, recoveredFromFour, recoveredFromFive } = vector;

  it("three yield the wrong key that was recorded", async () => {
    expect((await kavachRecoverKey(keyShards.slice(0, 3))).masterKey).toBe(recoveredFromThree);
    expect(recoveredFromThree).not.toBe(key);
  });

  it("four are refused at threshold 3 and recover at threshold 4", async () => {
    for (const four of choose(keyShards, 4)) {
      expect(await failure(kavachRecoverKey(four))).toMatchObject({ code: "CANNOT_RECOVER_KEY" });
      expect((await kavachRecoverKey(four, { threshold: 4 })).masterKey).toBe(recoveredFromFour);
    }
    expect(recoveredFromFour).toBe(key);
  });

  it("five yield the key that was split, and no shard is reported as faulty", async () => {
    expect(await kavachRecoverKey(keyShards)).toEqual({ masterKey: recoveredFromFive, faultyShards: [] });
    expect(recoveredFromFive).toBe(key);
  });

  it("the key is among the candidates of four, and of five with one faulty shard", async () => {
    for (const four of choose(keyShards, 4)) expect(await keyCandidates(four, 3)).toContain(key);
    for (let faulty = 0; faulty < 5; faulty++) {
      expect(await keyCandidates(replaceAt(keyShards, faulty, corruptShard), 3)).toContain(key);
    }
  });
});

it.each(unshardable)("splits $key exactly where older clients can ($isShardable)", async ({ key, isShardable }) => {
  if (isShardable) {
    const { keyShards } = await kavachShardKey(key);
    for (const triple of choose(keyShards, 3)) expect((await kavachRecoverKey(triple)).masterKey).toBe(key);
  } else {
    expect(await failure(kavachShardKey(key))).toMatchObject({ code: "INVALID_KEY" });
  }
});
