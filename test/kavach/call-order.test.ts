import { afterEach, describe, expect, test } from "vitest";
import {
  type CompletedNodes,
  kavachGenerate,
  kavachInspect,
  kavachRepair,
  kavachRevoke,
  kavachSaveShards,
  kavachSetAccessConditions,
  kavachShare,
  kavachTransferOwnership,
  type OwnerCallOptions,
  type UnfinishedError,
  uploadEncrypted,
} from "../../src/index.ts";
import { samples } from "../access-conditions/samples.ts";
import { account, devnetForTests } from "../support/devnet-wire.ts";
import { failure } from "../support/failure.ts";
import { address, cid } from "../support/fixtures.ts";
import { createGate } from "../support/gate.ts";
import { createServer, endpointsAt, sendJson } from "../support/http-server.ts";
import { createSigner, createSignInNetwork } from "../support/net-sign-in.ts";
import { toStoredRows } from "../support/stored-rows.ts";
import { as, saveKey } from "./saved-keys.ts";

const otherCid = "bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy";
const friend = "0x00000000000000000000000000000000000000bb";
const ALL = { nodes: [1, 2, 3, 4, 5] };

/** Creates key nodes that delay the first request until `release` is called. */
async function createHeldNodes() {
  const [arrived, released] = [createGate(), createGate()];
  let isFirst = true;
  const server = await createServer(async (request, response) => {
    if (request.path === "/api/v0/add") return sendJson(response, await toStoredRows(request));
    if (isFirst) {
      isFirst = false;
      arrived.reach();
      await released.reached;
    }
    return sendJson(response, { message: "success" });
  });
  const options = { address, authToken: "jwt:token", endpoints: endpointsAt(server.url), pauseMs: 0, retryMs: 0 };
  const nodeRequests = () => server.requests.filter(({ path }) => path !== "/api/v0/add");
  const lines = () => nodeRequests().map(({ method, path }) => `${method} ${path}`);
  return { options, nodeRequests, lines, arrived: arrived.reached, release: () => released.reach() };
}

const toAllNodes = (line: string) => ALL.nodes.map((node) => `${line}/${node}`);

describe("on the devnet", () => {
  const devnet = devnetForTests();
  afterEach(() => devnet().faults.clear());

  const delayShares = () =>
    devnet().faults.add({ service: "keyNodes", node: 1, method: "PUT", action: { kind: "delay", ms: 300 } });

  test("a revoked person cannot open the file, though a node delays the share that was called before", async () => {
    const { cid } = await saveKey(devnet());
    const person = account(devnet(), 1).address;
    delayShares();
    const share = kavachShare(cid, { ...as(devnet(), 0), shareTo: person });
    const revoke = kavachRevoke(cid, { ...as(devnet(), 0), revokeTo: person });
    expect(await Promise.all([share, revoke])).toEqual([ALL, ALL]);
    const { nodes, access } = await kavachInspect(cid, as(devnet(), 1));
    expect(nodes.map(({ state }) => state)).toEqual(ALL.nodes.map(() => "refused"));
    expect(access?.sharedTo).toEqual([]);
  });

  test("a repair shares new shards with the address of a share that was called before", async () => {
    const { cid } = await saveKey(devnet(), { lost: [5] });
    const person = account(devnet(), 1).address.toLowerCase();
    delayShares();
    const share = failure(kavachShare(cid, { ...as(devnet(), 0), shareTo: person }));
    const repair = kavachRepair(cid, as(devnet(), 0));
    // Node 5 does not know the file yet.
    expect((await share).details).toMatchObject({ nodesDone: [1, 2, 3, 4] });
    expect(await repair).toMatchObject({ sharedTo: [person] });
    const { nodes } = await kavachInspect(cid, as(devnet(), 1));
    expect(nodes.map(({ state }) => state)).toEqual(ALL.nodes.map(() => "holds"));
  });
});

test("owner calls on one file run in the order in which they were called", async () => {
  const { options, lines, arrived, release } = await createHeldNodes();
  const { keyShards } = await kavachGenerate();
  const calls: Promise<CompletedNodes>[] = [
    kavachSaveShards(cid, { ...options, keyShards }),
    kavachShare(cid, { ...options, shareTo: friend }),
    kavachSetAccessConditions(cid, { ...options, conditions: [samples.native] }),
    kavachRevoke(cid, { ...options, revokeTo: friend }),
    kavachTransferOwnership(cid, { ...options, newOwner: friend }),
  ];
  await arrived;
  release();
  expect(await Promise.all(calls)).toEqual(calls.map(() => ALL));
  expect(lines()).toEqual(
    [
      "POST /api/setSharedKey",
      "PUT /api/setSharedKey",
      "PUT /api/fileAccessConditions",
      "DELETE /api/setSharedKey",
      "POST /api/transferOwnership",
    ].flatMap(toAllNodes),
  );
});

test("a slow wallet does not change the order, and an invalid owner fails without waiting", async () => {
  const network = await createSignInNetwork();
  network.valid.add("jwt:token");
  const options = { endpoints: endpointsAt(network.url), pauseMs: 0 };
  const owner = { ...options, address, authToken: "jwt:token" };
  const opened = createGate<string>();
  const signer = { ...createSigner(), getAddress: () => opened.reached };
  const share = kavachShare(cid, { ...options, signer, shareTo: friend });
  const revoke = kavachRevoke(cid, { ...owner, revokeTo: friend });
  const invalid = await failure(kavachRevoke(cid, { ...owner, address: "nobody", revokeTo: friend }));
  expect(invalid.code).toBe("INVALID_ADDRESS");
  await kavachRevoke(otherCid, { ...owner, revokeTo: friend });
  opened.reach(address);
  expect(await Promise.all([share, revoke])).toEqual([ALL, ALL]);
  const changes = network.requests.filter(({ body }) => body.toString().includes(cid));
  expect(changes.map(({ method, path }) => `${method} ${path}`)).toEqual(
    ["PUT /api/setSharedKey", "DELETE /api/setSharedKey"].flatMap(toAllNodes),
  );
});

test("shards of an upload are saved before a share that is called meanwhile", async () => {
  const { options, nodeRequests, lines, arrived, release } = await createHeldNodes();
  const upload = uploadEncrypted(new File(["x"], "x.txt"), { ...options, apiKey: "key" });
  await arrived;
  const { cid } = JSON.parse(nodeRequests()[0]?.body.toString() ?? "");
  const share = kavachShare(cid, { ...options, shareTo: friend });
  release();
  await Promise.all([upload, share]);
  expect(lines()).toEqual(["POST /api/setSharedKey", "PUT /api/setSharedKey"].flatMap(toAllNodes));
});

test("calls on another file, or at another network, do not wait", async () => {
  const { options, arrived, release } = await createHeldNodes();
  const other = await createHeldNodes();
  other.release();
  const held = kavachShare(cid, { ...options, shareTo: friend });
  await arrived;
  expect(await kavachRevoke(otherCid, { ...options, revokeTo: friend })).toEqual(ALL);
  expect(await kavachRevoke(cid, { ...other.options, revokeTo: friend })).toEqual(ALL);
  release();
  expect(await held).toEqual(ALL);
});

test("an abort while a call is queued ends it with nothing done, and resume() runs it", async () => {
  const { options, lines, arrived, release } = await createHeldNodes();
  const share = kavachShare(cid, { ...options, shareTo: friend });
  await arrived;
  const controller = new AbortController();
  const revoke = failure(kavachRevoke(cid, { ...options, revokeTo: friend, signal: controller.signal }));
  controller.abort();
  const error = await revoke;
  expect(error).toMatchObject({ code: "ABORTED", details: { nodesDone: [] } });
  expect(lines()).toHaveLength(1);
  const resumed = (error as UnfinishedError<CompletedNodes, Partial<OwnerCallOptions>>).resume();
  release();
  expect(await Promise.all([share, resumed])).toEqual([ALL, ALL]);
  expect(lines()).toEqual(["PUT /api/setSharedKey", "DELETE /api/setSharedKey"].flatMap(toAllNodes));
});

test("a call that fails does not stop those after it", async () => {
  let refusals = 1;
  const server = await createServer((_, response) =>
    refusals-- > 0 ? sendJson(response, { message: "busy" }, 500) : sendJson(response, { message: "success" }),
  );
  const options = { address, authToken: "jwt:token", endpoints: endpointsAt(server.url), pauseMs: 0, retryMs: 0 };
  const share = failure(kavachShare(cid, { ...options, shareTo: friend }));
  const revoke = kavachRevoke(cid, { ...options, revokeTo: friend });
  expect((await share).details).toMatchObject({ nodesDone: [2, 3, 4, 5] });
  expect(await revoke).toEqual(ALL);
});
