import { describe, expect, test } from "vitest";
import { getJwtThroughIncumbent, signThroughIncumbent } from "../../../test/interop/stage.ts";
import { keyShards as someShards } from "../../../test/support/fixtures.ts";
import { setCompatStage, shapeOf } from "../../lighthouse-sdk/test/stage.ts";
import * as kavach from "../src/index.ts";
import type { Condition, KeyShard } from "../src/types.ts";

const stage = setCompatStage();
const calls = { ...kavach };

/** Both implementations of one call, by its name. */
function both(name: Exclude<keyof typeof kavach, "default">) {
  const ours = calls[name] as (...args: unknown[]) => Promise<unknown>;
  const theirs = (...args: unknown[]) => stage().incumbent.call<unknown>(`kavach.${name}`, ...args);
  return { ours, theirs };
}

const blockCondition: Condition = {
  id: 1,
  chain: "Polygon",
  standardContractType: "",
  method: "getBlockNumber",
  parameters: [],
  returnValueTest: { comparator: ">=", value: "1" },
};

const account = `0x${"a".repeat(40)}`;

test.each([
  ["saveShards", account, "no cid", "", []],
  ["shareToAddress", account, "no cid", "", "no address"],
  ["revokeAccess", account, "no cid", "", "no address"],
  ["transferOwnership", account, "no cid", "no address", "no token"],
] as const)("%s reports a wrong content id before anything else that is wrong", async (name, ...args) => {
  const { ours, theirs } = both(name);
  const expected = await theirs(...args);
  expect(JSON.stringify(expected)).toContain("Invalid CID");
  expect(await ours(...args)).toEqual(expected);
});

let files = 0;
/** A content id that no other test uses. */
function newCid(): string {
  files += 1;
  return `Qm${"a".repeat(42)}${"123456789"[files % 9]}${"ABCDEFGH"[Math.floor(files / 9)]}`;
}

describe("keys", () => {
  test("generate: each recovers the other's key", async () => {
    const generated = { mine: await kavach.generate(), theirs: await both("generate").theirs() };
    expect(shapeOf(generated.mine)).toEqual(shapeOf(generated.theirs));
    const { masterKey, keyShards } = generated.mine;
    expect(await both("recoverKey").theirs(keyShards.slice(1, 4))).toEqual({ masterKey, error: null });
    const other = generated.theirs as typeof generated.mine;
    const recovered = { masterKey: other.masterKey, error: null };
    for (const some of [other.keyShards.slice(2), other.keyShards.slice(1), other.keyShards]) {
      expect(await kavach.recoverKey(some)).toEqual(recovered);
    }
    await expect(kavach.generate(4, 3)).rejects.toThrow("keyCount must be greater then threshold");
    expect((await kavach.generate(2, 7)).keyShards).toHaveLength(7);
  });

  test("generate with other thresholds: as many shards recover the key", async () => {
    for (const threshold of [2, 4, 5]) {
      const { masterKey, keyShards } = await kavach.generate(threshold, 5);
      expect(await kavach.recoverKey(keyShards.slice(0, threshold))).toEqual({ masterKey, error: null });
    }
  });

  test("shardKey: three shards are enough, and four of the incumbent's", async () => {
    const { masterKey } = await kavach.generate();
    const key = masterKey ?? "";
    const { isShardable, keyShards } = await kavach.shardKey(key);
    expect(isShardable).toBe(true);
    expect(await both("recoverKey").theirs(keyShards.slice(0, 3))).toEqual({ masterKey, error: null });
    const older = (await both("shardKey").theirs(key)) as { keyShards: KeyShard[] };
    expect(await kavach.recoverKey(older.keyShards.slice(0, 4))).toEqual({ masterKey, error: null });
    expect(await kavach.recoverKey(older.keyShards)).toEqual({ masterKey, error: null });
    const none = { isShardable: false, keyShards: [] };
    expect([await kavach.shardKey("no key"), await both("shardKey").theirs("no key")]).toEqual([none, none]);
  });

  test("recoverKey of what is no shard", async () => {
    const text = "keyShards must be an array of objects containing these keys [index, key]";
    for (const wrong of [undefined, {}, [{}], [{ key: 1, index: "1" }], []]) {
      await expect(kavach.recoverKey(wrong as never)).rejects.toThrow(text);
    }
    const failed = { masterKey: null, error: "can't recover Key" };
    expect(await kavach.recoverKey([{ key: "no", index: "hex" }])).toEqual(failed);
    expect(await both("recoverKey").theirs([{ key: "no", index: "hex" }])).toEqual(failed);
  });
});

test("getAuthMessage and getJWT, by a signature and by a refresh token", async () => {
  const { owner, incumbent } = stage();
  const message = both("getAuthMessage");
  expect(shapeOf(await message.ours(owner.address))).toEqual(shapeOf(await message.theirs(owner.address)));
  const jwts = [];
  for (const getJWT of [both("getJWT").ours, both("getJWT").theirs]) {
    const jwt = (await getJWT(owner.address, await signThroughIncumbent(incumbent, owner))) as { refreshToken: string };
    jwts.push(shapeOf(jwt), shapeOf(await getJWT(owner.address, jwt.refreshToken, true)));
  }
  expect(jwts).toEqual([jwts[0], jwts[0], jwts[0], jwts[0]]);
  for (const [name, ...args] of [
    ["getJWT", owner.address, "wrong"],
    ["getJWT", owner.address, "wrong", true],
    ["getJWT", "0x12", "wrong"],
    ["getAuthMessage", "0x12"],
  ] as const) {
    expect(await both(name).ours(...args)).toEqual(await both(name).theirs(...args));
  }
});

test("the shards of a file: saved, recovered, shared, revoked, transferred", async () => {
  const { owner, friend, incumbent } = stage();
  const jwt = await getJwtThroughIncumbent(incumbent, owner);
  const friendJwt = await getJwtThroughIncumbent(incumbent, friend);
  const outcomes = [];
  for (const side of ["ours", "theirs"] as const) {
    const cid = newCid();
    const outcome: unknown[] = [];
    for (const [name, ...args] of [
      ["saveShards", owner.address, cid, jwt, someShards],
      ["saveShards", friend.address, cid, friendJwt, someShards],
      ["shareToAddress", owner.address, cid, jwt, [friend.address]],
      ["shareToAddress", friend.address, cid, friendJwt, [friend.address]],
      ["recoverShards", friend.address, cid, friendJwt, 5],
      ["getAccessCondition", cid],
      ["revokeAccess", owner.address, cid, jwt, [friend.address]],
      ["recoverShards", friend.address, cid, friendJwt],
      ["revokeAccess", friend.address, cid, friendJwt, [owner.address]],
      ["transferOwnership", friend.address, cid, friend.address, friendJwt],
      ["transferOwnership", owner.address, cid, friend.address, jwt, false],
      ["recoverShards", friend.address, cid, friendJwt, 5, {}],
      ["saveShards", owner.address, newCid(), jwt, someShards, [friend.address]],
    ] as const) {
      outcome.push([name, await both(name)[side](...args)]);
    }
    outcomes.push(JSON.parse(JSON.stringify(outcome).replaceAll(cid, "cid")));
  }
  expect(outcomes[0]).toEqual(outcomes[1]);
});

test("what is refused before anything is sent", async () => {
  const { owner } = stage();
  for (const [name, ...args] of [
    ["saveShards", owner.address, "no cid", "jwt:x", someShards],
    ["saveShards", owner.address, newCid(), "jwt:x", someShards.slice(1)],
    ["saveShards", owner.address, newCid(), "jwt:x", "shards"],
    ["shareToAddress", owner.address, "no cid", "jwt:x", [owner.address]],
    ["revokeAccess", owner.address, "no cid", "jwt:x", [owner.address]],
    ["transferOwnership", owner.address, "no cid", owner.address, "jwt:x"],
    ["recoverShards", owner.address, newCid(), "jwt:x"],
    ["recoverShards", owner.address, newCid(), ""],
    ["shareToAddress", owner.address, newCid(), "", [owner.address]],
  ] as const) {
    expect(await both(name).ours(...args), name).toEqual(await both(name).theirs(...args));
  }
  // The incumbent throws a SyntaxError: it parses these texts as JSON.
  const wrong = [{ ...blockCondition, method: "nothing" }];
  const refused: [string, Condition[], KeyShard[], unknown][] = [
    [newCid(), wrong, [], expect.stringMatching(/^Condition validation error: /)],
    ["no cid", [blockCondition], [], "Invalid CID"],
    [newCid(), [blockCondition], someShards.slice(1), "keyShards must be an array of 5 objects"],
  ];
  for (const [cid, conditions, shards, error] of refused) {
    const args = [owner.address, cid, "jwt:x", conditions, undefined, "evm", shards] as const;
    expect(await kavach.accessControl(...args)).toEqual({ isSuccess: false, error });
  }
});

describe("accessControl", () => {
  test("sets conditions with the shards, and replaces them", async () => {
    const { owner, incumbent } = stage();
    const jwt = await getJwtThroughIncumbent(incumbent, owner);
    for (const side of ["ours", "theirs"] as const) {
      const cid = newCid();
      const { [side]: accessControl } = both("accessControl");
      const args = [owner.address, cid, jwt, [blockCondition]];
      const created = await accessControl(...args, undefined, "EVM", someShards, "ACCESS_CONDITIONS");
      expect(created).toEqual({ isSuccess: true, error: null });
      const pair = [blockCondition, { ...blockCondition, id: 2 }];
      const replaced = await accessControl(owner.address, cid, jwt, pair, "([1] and [2])", "evm");
      expect(replaced).toEqual({ isSuccess: true, error: null });
      const { data } = await kavach.getAccessCondition(cid);
      expect(data).toMatchObject({ aggregator: "([1] and [2])", owner: owner.address, conditions: pair });
      expect(await both("getAccessCondition").theirs(cid)).toEqual({ data });
    }
  });

  test("takes conditions that only the incumbent accepts, where both mean the same", async () => {
    const { owner, incumbent } = stage();
    const jwt = await getJwtThroughIncumbent(incumbent, owner);
    const cid = newCid();
    await kavach.saveShards(owner.address, cid, jwt, someShards);
    const loose = { ...blockCondition, id: "1", inputArrayType: ["uint256"], outputType: "uint256" } as never;
    const outcome = await kavach.accessControl(owner.address, cid, jwt, [loose], "([1] and [2])");
    expect(outcome).toEqual({ isSuccess: true, error: null });
    const { data } = await kavach.getAccessCondition(cid);
    expect(data.conditions).toEqual([blockCondition]);
  });

  test("reports the nodes' refusal, where the incumbent reports no error at all", async () => {
    const { owner } = stage();
    const outcome = await kavach.accessControl(owner.address, newCid(), "jwt:wrong", [blockCondition]);
    expect(outcome).toEqual({ isSuccess: false, error: { message: "Invalid Signature", statusCode: 401 } });
    expect(outcome.error.cause).toMatchObject({ code: "NODE_REFUSED" });
  });
});
