import { inspect } from "node:util";
import { afterEach, describe, expect, test } from "vitest";
import type { Devnet, FaultAction } from "../../packages/devnet/src/index.ts";
import { UnfinishedError } from "../../src/base/errors/unfinished.ts";
import { kavachShare } from "../../src/keys/access/share.ts";
import { kavachInspect } from "../../src/keys/file-keys/inspect.ts";
import { kavachRecoverShards } from "../../src/keys/file-keys/recover-shards.ts";
import { type KeyRepair, kavachRepair, type UnfinishedRepair } from "../../src/keys/file-keys/repair.ts";
import { kavachSaveShards } from "../../src/keys/file-keys/save-shards.ts";
import { kavachGenerate } from "../../src/keys/shards/generate.ts";
import { kavachRecoverKey } from "../../src/keys/shards/recover.ts";
import { account, devnetForTests, getJwt, signNodeMessage } from "../support/devnet-wire.ts";
import { failure } from "../support/failure.ts";
import { pacings } from "../support/pacings.ts";
import { as as asWallet, type SavedKey, saveKey } from "./saved-keys.ts";
import { choose } from "./shard-tools.ts";

const devnet = devnetForTests();

afterEach(() => {
  devnet().faults.clear();
  for (let node = 1; node <= 5; node++) devnet().startNode(node);
});

const done = ({ nodes }: KeyRepair) => nodes.map(({ done }) => done);

function whenQueried(action: FaultAction, ...nodes: number[]): void {
  for (const node of nodes) devnet().faults.add({ service: "keyNodes", node, path: "/api/retrieveSharedKey", action });
}

describe.each(pacings)("pacing: %s", (pacing) => {
  const as = (network: Devnet, n: number) => ({ ...asWallet(network, n), pacing });

  /** Expects any three shards on the nodes to recover the key, for the owner and an address it is shared to. */
  async function expectWhole({ cid, masterKey }: SavedKey, wallet = 0): Promise<void> {
    const { shards } = await kavachRecoverShards(cid, { ...as(devnet(), wallet), count: 5 });
    for (const three of choose(shards, 3)) {
      expect(await kavachRecoverKey(three)).toEqual({ masterKey, faultyShards: [] });
    }
  }

  function saves(): string[] {
    return devnet()
      .requests()
      .filter(({ method, path }) => method === "POST" && path.startsWith("/api/setSharedKey"))
      .map(({ path }) => path);
  }

  test.each(["bls12-381", "gf256"] as const)(
    "any one or two lost shards of scheme %s are replaced by new ones",
    async (scheme) => {
      for (const lost of [...choose([1, 2, 3, 4, 5], 1), ...choose([1, 2, 3, 4, 5], 2)]) {
        const key = await saveKey(devnet(), { lost, scheme });
        const repaired = await kavachRepair(key.cid, as(devnet(), 0));
        expect(done(repaired)).toEqual([1, 2, 3, 4, 5].map((node) => (lost.includes(node) ? "saved" : "kept")));
        await expectWhole(key);
      }
    },
  );

  test("a new shard is shared to the same addresses", async () => {
    const friends: [string, string] = [account(devnet(), 1).address, account(devnet(), 2).address];
    const key = await saveKey(devnet(), { lost: [5], shareTo: friends });
    const { sharedTo } = await kavachRepair(key.cid, as(devnet(), 0));
    expect(sharedTo).toEqual(friends.map((address) => address.toLowerCase()));
    await expectWhole(key, 1);
    await expectWhole(key, 2);
  });

  test("if the nodes do not report whom it is shared to, the result does not either", async () => {
    const key = await saveKey(devnet(), { lost: [5], shareTo: [account(devnet(), 1).address] });
    const path = "/api/fileAccessConditions/get";
    devnet().faults.add({ service: "keyNodes", path, action: { kind: "respond", status: 500, text: "<p>no</p>" } });
    const repaired = await kavachRepair(key.cid, as(devnet(), 0));
    expect(repaired).not.toHaveProperty("sharedTo");
    expect(done(repaired)).toEqual(["kept", "kept", "kept", "kept", "saved"]);
    await expectWhole(key);
  });

  test("a healthy key stays unchanged", async () => {
    const key = await saveKey(devnet());
    const before = saves().length;
    expect(done(await kavachRepair(key.cid, as(devnet(), 0)))).toEqual(Array.from({ length: 5 }, () => "kept"));
    expect(saves()).toHaveLength(before);
  });

  test("a shard that does not belong to the others is overwritten", async () => {
    const key = await saveKey(devnet());
    const wrong = await kavachGenerate();
    const [first, second, , fourth, fifth] = key.keyShards;
    const swapped = [first, second, wrong.keyShards[2], fourth, fifth] as const;
    await kavachSaveShards(key.cid, { ...as(devnet(), 0), keyShards: swapped });
    expect(done(await kavachRepair(key.cid, as(devnet(), 0)))).toEqual(["kept", "kept", "replaced", "kept", "kept"]);
    await expectWhole(key);
  });

  test("a repair skips a node that cannot be queried", async () => {
    const key = await saveKey(devnet(), { lost: [1] });
    devnet().stopNode(2);
    const repaired = await kavachRepair(key.cid, { ...as(devnet(), 0), attempts: 1 });
    expect(done(repaired)).toEqual(["saved", "failed", "kept", "kept", "kept"]);
    expect(repaired.nodes[1]?.failure).toMatchObject({ node: 2, code: "NETWORK" });
    devnet().startNode(2);
    await expectWhole(key);
  });

  test("a repair that stops keeps the unsaved shards and resumes at the node that failed", async () => {
    const key = await saveKey(devnet(), { lost: [2, 4] });
    const path = "/api/setSharedKey";
    const refuse: FaultAction = { kind: "respond", status: 503, json: { message: "later" } };
    devnet().faults.add({ service: "keyNodes", node: 4, method: "POST", path, action: refuse, times: 2 });
    const error = await failure(kavachRepair(key.cid, as(devnet(), 0)));
    expect(error).toMatchObject({
      code: "NODE_REFUSED",
      message: "later",
      details: { node: 4, nodesDone: [2], nodesLeft: [4] },
    });
    expect(inspect(error, { depth: 9, showHidden: true })).not.toMatch(/[0-9a-f]{64}/);

    if (!(error instanceof UnfinishedError)) return expect.unreachable();
    const again = await failure((error as UnfinishedRepair).resume());
    const before = saves().length;
    const repaired = await (again as UnfinishedRepair).resume({ pauseMs: 0 });
    expect(saves().slice(before)).toEqual(["/api/setSharedKey/4"]);
    expect(done(repaired)).toEqual(["kept", "saved", "kept", "saved", "kept"]);
    await expectWhole(key);
  });

  test("nothing is saved if it cannot be determined which shards are right", async () => {
    const key = await saveKey(devnet(), { lost: [5] });
    whenQueried({ kind: "wrong-shard" }, 1);
    const before = saves().length;
    const error = await failure(kavachRepair(key.cid, as(devnet(), 0)));
    expect(error).toMatchObject({ code: "CANNOT_RECOVER_KEY", details: { needed: 3, got: 4 } });
    expect(saves()).toHaveLength(before);
  });

  test("nothing is saved from too few shards", async () => {
    const key = await saveKey(devnet(), { lost: [1, 2, 3] });
    const before = saves().length;
    const error = await failure(kavachRepair(key.cid, as(devnet(), 0)));
    expect(error).toMatchObject({ code: "NODES_FAILED", details: { needed: 3, got: 2 } });
    const none = await saveKey(devnet(), { lost: [1, 2, 3, 4, 5] });
    expect((await failure(kavachRepair(none.cid, as(devnet(), 0)))).code).toBe("CID_NOT_FOUND");
    // The five requests that saved the second key, and no more.
    expect(saves()).toHaveLength(before + 5);
  });

  test("only the owner may repair: anyone else would become the owner at a node that has lost its shard", async () => {
    const friend = account(devnet(), 1).address;
    const key = await saveKey(devnet(), { lost: [3], shareTo: [friend] });
    const before = saves().length;
    expect((await failure(kavachRepair(key.cid, as(devnet(), 1)))).code).toBe("NOT_OWNER");
    expect(saves()).toHaveLength(before);
  });

  test("only the owner may repair, also if the nodes do not report the owner", async () => {
    const friend = account(devnet(), 1).address;
    const key = await saveKey(devnet(), { lost: [3], shareTo: [friend] });
    const path = "/api/fileAccessConditions/get";
    devnet().faults.add({ service: "keyNodes", path, action: { kind: "respond", status: 500, text: "<p>no</p>" } });
    const before = saves().length;
    expect((await failure(kavachRepair(key.cid, as(devnet(), 1)))).code).toBe("NOT_OWNER");
    expect(saves()).toHaveLength(before);
    expect(done(await kavachRepair(key.cid, as(devnet(), 0)))).toEqual(["kept", "kept", "saved", "kept", "kept"]);
    await expectWhole(key);
    // The four that kept theirs still share it.
    const { shards } = await kavachRecoverShards(key.cid, { ...as(devnet(), 1), count: 4 });
    expect(shards.map(({ node }) => node).sort()).toEqual([1, 2, 4, 5]);
  });

  test("after a partial share, new shards are shared as the nodes report", async () => {
    const friend = account(devnet(), 1).address.toLowerCase();
    const key = await saveKey(devnet(), { lost: [5] });
    const refuse: FaultAction = { kind: "respond", status: 500, json: { message: "no" } };
    devnet().faults.add({ service: "keyNodes", node: 3, method: "PUT", action: refuse });
    await failure(kavachShare(key.cid, { ...as(devnet(), 0), shareTo: friend }));
    expect(await kavachInspect(key.cid, as(devnet(), 1))).toMatchObject({
      sharing: "different",
      healthy: false,
      nodes: [{ state: "holds" }, { state: "holds" }, { state: "refused" }, { state: "holds" }, { state: "missing" }],
    });
    expect(await kavachRepair(key.cid, as(devnet(), 0))).toMatchObject({ sharedTo: [friend] });
    const { shards } = await kavachRecoverShards(key.cid, as(devnet(), 1));
    expect(shards.map(({ node }) => node)).not.toContain(3);
  });

  test.each([1, 6, 2.5])("threshold %d is refused before any request", async (threshold) => {
    const { cid } = await saveKey(devnet());
    const before = devnet().requests().length;
    for (const call of [kavachInspect, kavachRepair]) {
      const { code, message } = await failure(call(cid, { ...as(devnet(), 0), threshold }));
      expect([code, message]).toEqual([
        "INVALID_OPTION",
        "Invalid option threshold: expected a whole number from 2 to 5",
      ]);
    }
    expect(devnet().requests()).toHaveLength(before);
  });

  test("a JWT is accepted; a signature is not, as it is valid for only one call to a node", async () => {
    const owner = account(devnet(), 0);
    const key = await saveKey(devnet(), { lost: [3] });
    const options = { endpoints: devnet().endpoints, pacing, pauseMs: 0, address: owner.address };
    const signature = await signNodeMessage(devnet(), owner);
    expect((await failure(kavachRepair(key.cid, { ...options, authToken: signature }))).code).toBe("NOT_A_JWT");
    const { token } = await getJwt(devnet(), owner);
    expect(done(await kavachRepair(key.cid, { ...options, authToken: token }))).toContain("saved");
    await expectWhole(key);
  });

  test("new shards of a key that needs four are made from four", async () => {
    const { cid } = await saveKey(devnet(), { lost: [5] });
    const { masterKey, keyShards } = await kavachGenerate({ threshold: 4 });
    const mend = devnet().faults.add({
      service: "keyNodes",
      node: 5,
      method: "POST",
      path: "/api/setSharedKey",
      action: { kind: "respond", json: { message: "success" } },
    });
    await kavachSaveShards(cid, { ...as(devnet(), 0), keyShards });
    mend();
    expect((await failure(kavachRepair(cid, as(devnet(), 0)))).code).toBe("CANNOT_RECOVER_KEY");
    await kavachRepair(cid, { ...as(devnet(), 0), threshold: 4 });
    const { shards } = await kavachRecoverShards(cid, { ...as(devnet(), 0), count: 5 });
    for (const four of choose(shards, 4)) {
      expect((await kavachRecoverKey(four, { threshold: 4 })).masterKey).toBe(masterKey);
    }
    expect(await kavachInspect(cid, as(devnet(), 0))).toMatchObject({ healthy: true });
  });
});

test("a repair saves nothing on the nodes after one that failed", async () => {
  const key = await saveKey(devnet(), { lost: [2, 4] });
  const path = "/api/setSharedKey";
  const action: FaultAction = { kind: "respond", status: 503, json: { message: "later" } };
  devnet().faults.add({ service: "keyNodes", node: 2, method: "POST", path, action, times: 1 });
  const listSaves = () =>
    devnet()
      .requests()
      .filter(({ method, path: to }) => method === "POST" && to.startsWith(path));
  const before = listSaves().length;
  const error = await failure(kavachRepair(key.cid, asWallet(devnet(), 0)));
  expect(error).toMatchObject({ details: { node: 2, nodesDone: [], nodesLeft: [2, 4] } });
  expect(
    listSaves()
      .slice(before)
      .map(({ path: to }) => to),
  ).toEqual(["/api/setSharedKey/2"]);
});
