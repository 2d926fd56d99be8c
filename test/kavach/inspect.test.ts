import { inspect } from "node:util";
import { afterEach, describe, expect, test } from "vitest";
import type { Devnet, FaultAction } from "../../packages/devnet/src/index.ts";
import { kavachRevoke } from "../../src/keys/access/share.ts";
import { type KeyHealth, kavachInspect } from "../../src/keys/file-keys/inspect.ts";
import { kavachSaveShards } from "../../src/keys/file-keys/save-shards.ts";
import { kavachGenerate } from "../../src/keys/shards/generate.ts";
import { account, devnetForTests } from "../support/devnet-wire.ts";
import { failure } from "../support/failure.ts";
import { incomplete } from "../support/incomplete.ts";
import { pacings } from "../support/pacings.ts";
import { as as asWallet, saveKey } from "./saved-keys.ts";

const devnet = devnetForTests();

afterEach(() => {
  devnet().faults.clear();
  for (let node = 1; node <= 5; node++) devnet().startNode(node);
});

/** Makes these nodes respond like this to requests for a shard. */
function whenQueried(action: FaultAction, ...nodes: number[]): void {
  for (const node of nodes) devnet().faults.add({ service: "keyNodes", node, path: "/api/retrieveSharedKey", action });
}

const states = ({ nodes }: KeyHealth) => nodes.map(({ state }) => state);
const agreement = ({ nodes }: KeyHealth) => nodes.map(({ agrees }) => agrees);
const respond = (json: unknown, status = 200): FaultAction => ({ kind: "respond", json, status });

describe.each(pacings)("pacing: %s", (pacing) => {
  const as = (network: Devnet, n: number) => ({ ...asWallet(network, n), pacing });

  test("a key that five nodes hold is healthy", async () => {
    const friend = account(devnet(), 1).address.toLowerCase();
    const { cid } = await saveKey(devnet(), { shareTo: [friend] });
    expect(await kavachInspect(cid, as(devnet(), 0))).toEqual({
      cid,
      healthy: true,
      key: "recoverable",
      sharing: "same",
      access: { owner: account(devnet(), 0).address.toLowerCase(), sharedTo: [friend], hasConditions: false },
      nodes: [1, 2, 3, 4, 5].map((node) => ({ node, state: "holds", agrees: true })),
    });
    expect(await kavachInspect(cid, as(devnet(), 1))).toMatchObject({ healthy: true });
  });

  test("it queries each node once", async () => {
    const { cid } = await saveKey(devnet());
    const before = devnet().requests().length;
    await kavachInspect(cid, as(devnet(), 0));
    const queries = devnet()
      .requests()
      .slice(before)
      .filter(({ path }) => path.startsWith("/api/retrieveSharedKey"));
    const queried = queries.map(({ path }) => path.at(-1));
    expect(pacing === "sequential" ? queried : queried.sort()).toEqual(["1", "2", "3", "4", "5"]);
  });

  test("a lost shard and a dead node are distinguished", async () => {
    const { cid } = await saveKey(devnet(), { lost: [2] });
    devnet().stopNode(4);
    const health = await kavachInspect(cid, { ...as(devnet(), 0), attempts: 1 });
    expect(states(health)).toEqual(["holds", "missing", "holds", "failed", "holds"]);
    expect(health).toMatchObject({ healthy: false, key: "unchecked" });
    expect(health.nodes[3]?.failure).toMatchObject({ node: 4, code: "NETWORK" });
    expect(agreement(health).every((agrees) => agrees === undefined)).toBe(true);
  });

  test("four shards that agree are checked, and two are too few", async () => {
    const four = await saveKey(devnet(), { lost: [1] });
    const health = await kavachInspect(four.cid, as(devnet(), 0));
    expect(health).toMatchObject({ healthy: false, key: "recoverable" });
    expect(agreement(health)).toEqual([undefined, true, true, true, true]);
    const two = await saveKey(devnet(), { lost: [1, 3, 5] });
    expect(await kavachInspect(two.cid, as(devnet(), 0))).toMatchObject({ key: "unrecoverable" });
  });

  test.each([1, 2, 3, 4, 5])("one faulty node is identified: %i", async (faulty) => {
    const { cid } = await saveKey(devnet());
    whenQueried({ kind: "wrong-shard" }, faulty);
    const health = await kavachInspect(cid, as(devnet(), 0));
    expect(health).toMatchObject({ healthy: false, key: "recoverable" });
    expect(agreement(health)).toEqual([1, 2, 3, 4, 5].map((node) => node !== faulty));
  });

  test("if it cannot be determined which nodes are faulty, none is reported", async () => {
    const five = await saveKey(devnet());
    whenQueried({ kind: "wrong-shard" }, 1, 5);
    const health = await kavachInspect(five.cid, as(devnet(), 0));
    expect(health).toMatchObject({ healthy: false, key: "in doubt" });
    expect(agreement(health).every((agrees) => agrees === undefined)).toBe(true);
    const four = await saveKey(devnet(), { lost: [2] });
    expect(await kavachInspect(four.cid, as(devnet(), 0))).toMatchObject({ key: "in doubt" });
  });

  test("a shard of another scheme, or of another node, does not hide that the others agree", async () => {
    const { cid, keyShards } = await saveKey(devnet());
    const other = await kavachGenerate({ scheme: "gf256" });
    const inspectAgreement = async () => {
      const { healthy, key, nodes } = await kavachInspect(cid, as(devnet(), 0));
      return { healthy, key, agrees: nodes.map(({ agrees }) => agrees) };
    };
    whenQueried(respond({ payload: other.keyShards[0] }), 3);
    const agrees = [true, true, false, true, true];
    expect(await inspectAgreement()).toEqual({ healthy: false, key: "recoverable", agrees });
    devnet().faults.clear();
    whenQueried(respond({ payload: keyShards[0] }), 2);
    expect(await inspectAgreement()).toMatchObject({ key: "recoverable", agrees: [true, false, true, true, true] });
  });

  test("every kind of bad response affects only its node", async () => {
    const { cid } = await saveKey(devnet());
    whenQueried(respond(null), 1);
    whenQueried(respond({ payload: { key: "zz", index: "1" } }), 2);
    whenQueried({ kind: "respond", status: 502, text: "<h1>Bad gateway</h1>" }, 3);
    whenQueried(respond({ message: "out of order" }, 500), 4);
    whenQueried({ kind: "respond", text: "{" }, 5);
    const health = await kavachInspect(cid, as(devnet(), 0));
    expect(states(health)).toEqual(["missing", "failed", "failed", "failed", "failed"]);
    expect(health.nodes.map(({ failure }) => failure?.code)).toEqual([
      "CID_NOT_FOUND",
      "INVALID_RESPONSE",
      "HTTP_STATUS",
      "NODE_REFUSED",
      "INVALID_JSON",
    ]);
    expect(health).toMatchObject({ healthy: false, key: "unrecoverable", sharing: "unknown" });
  });

  test("an inspection by the revoked address shows a partial revocation", async () => {
    const friend = account(devnet(), 1).address;
    const { cid } = await saveKey(devnet(), { shareTo: [friend] });
    devnet().faults.add({ service: "keyNodes", node: 4, method: "DELETE", action: respond({ message: "no" }, 500) });
    await failure(kavachRevoke(cid, { ...as(devnet(), 0), revokeTo: friend }));
    const health = await kavachInspect(cid, as(devnet(), 1));
    expect(states(health)).toEqual(["refused", "refused", "refused", "holds", "refused"]);
    expect(health).toMatchObject({ sharing: "different", healthy: false });
  });

  test("a stranger only learns that all nodes refuse", async () => {
    const { cid } = await saveKey(devnet());
    const health = await kavachInspect(cid, as(devnet(), 2));
    expect(states(health)).toEqual(Array.from({ length: 5 }, () => "refused"));
    expect(health).toMatchObject({ healthy: false, key: "unrecoverable", sharing: "same" });
  });

  test("key nodes that are all gone fail one by one, signed in or not", async () => {
    const { cid } = await saveKey(devnet());
    const owner = { ...as(devnet(), 0), attempts: 1 };
    devnet().faults.add({ service: "keyNodes", action: { kind: "reset" } });
    const health = await kavachInspect(cid, owner);
    expect(states(health)).toEqual(Array.from({ length: 5 }, () => "failed"));
    expect(health.access).toBeUndefined();
    const { address } = account(devnet(), 0);
    const { signer: _, ...options } = owner;
    const known = await kavachInspect(cid, { ...options, address, authToken: "jwt:x" });
    expect(states(known)).toEqual(states(health));
  });

  test("failures of the caller are thrown: a refused signature and an abort", async () => {
    const { cid } = await saveKey(devnet());
    const { address } = account(devnet(), 0);
    const options = { endpoints: devnet().endpoints, pacing, pauseMs: 0, retryMs: 0 };
    const refusing = { getAddress: () => address, signMessage: () => Promise.reject(new Error("no")) };
    expect((await failure(kavachInspect(cid, { ...options, signer: refusing }))).code).toBe("SIGNATURE_REJECTED");
    const wrong = { getAddress: () => address, signMessage: async () => `0x${"1".repeat(130)}` };
    expect((await failure(kavachInspect(cid, { ...options, signer: wrong }))).code).toBe("INVALID_SIGNATURE");
    const signal = AbortSignal.abort();
    expect((await failure(kavachInspect(cid, { ...as(devnet(), 0), signal }))).code).toBe("ABORTED");
    expect((await failure(kavachInspect(cid, incomplete(options)))).code).toBe("MISSING_OWNER");
    expect((await failure(kavachInspect("x", as(devnet(), 0)))).code).toBe("INVALID_CID");
    expect((await failure(kavachInspect(cid, { ...as(devnet(), 0), threshold: 1 }))).code).toBe("INVALID_OPTION");
  });

  test("no shard is in the result, regardless of the nodes' responses", async () => {
    const { cid, keyShards } = await saveKey(devnet());
    whenQueried(respond({ payload: { key: keyShards[1]?.key, index: "" } }), 2);
    const shown = inspect(await kavachInspect(cid, as(devnet(), 0)), { depth: 9, showHidden: true });
    for (const { key, index } of keyShards) {
      expect(shown).not.toContain(key);
      expect(shown).not.toContain(index);
    }
  });

  test("shards of a key that needs one more than the threshold are in doubt unless it is passed", async () => {
    const cid = (await saveKey(devnet())).cid;
    const { keyShards } = await kavachGenerate({ threshold: 4 });
    await kavachSaveShards(cid, { ...as(devnet(), 0), keyShards });
    expect(await kavachInspect(cid, as(devnet(), 0))).toMatchObject({ healthy: true });
    whenQueried(respond(null), 5);
    expect(await kavachInspect(cid, as(devnet(), 0))).toMatchObject({ key: "in doubt" });
    expect(await kavachInspect(cid, { ...as(devnet(), 0), threshold: 4 })).toMatchObject({ key: "unchecked" });
  });
});
