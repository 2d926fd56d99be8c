import { describe, expect, test } from "vitest";
import { createShareLink, makeRecoveryKit } from "../../packages/recovery/src/index.ts";
import {
  type CompletedNodes,
  createKit,
  decrypt,
  encryptBytes,
  type KeyNodeOptions,
  type KeyReport,
  kavachGenerate,
  kavachGetAccessConditions,
  kavachGetAuthMessage,
  kavachGetJwt,
  kavachInspect,
  kavachRecoverShards,
  kavachRefreshJwt,
  kavachRepair,
  kavachRevoke,
  kavachSaveShards,
  kavachSetAccessConditions,
  kavachShare,
  kavachTransferOwnership,
  openEncrypted,
  UnfinishedError,
  type UnfinishedUpload,
  uploadEncrypted,
  uploadTextEncrypted,
} from "../../src/index.ts";
import { samples } from "../access-conditions/samples.ts";
import { eventually } from "../support/eventually.ts";
import { failure } from "../support/failure.ts";
import { address, opaqueCid as cid, owner } from "../support/fixtures.ts";
import { createServer, endpointsAt, type Handler, sendJson, type TestServer } from "../support/http-server.ts";
import { watchLeaks } from "../support/leaks.ts";
import { createKeyNetwork, down, respondWith } from "../support/net-nodes.ts";
import { createSigner, createSignInNetwork } from "../support/net-sign-in.ts";
import { toStoredRows } from "../support/stored-rows.ts";
import { corruptShard } from "./shard-tools.ts";

const NODES = [1, 2, 3, 4, 5];
const friend = "0x00000000000000000000000000000000000000bb";
const parallel = { pacing: "parallel", retryMs: 0 } as const;
const plain = new TextEncoder().encode("the plaintext");
const { masterKey, keyShards } = await kavachGenerate();
const file = await encryptBytes(plain, masterKey);

type Unfinished = UnfinishedError<CompletedNodes, KeyNodeOptions>;
type Call = (url: string, options?: KeyNodeOptions) => Promise<CompletedNodes>;

const optionsFor = (url: string) => ({ endpoints: endpointsAt(url), ...owner, ...parallel });
const calls: [name: string, Call][] = [
  ["kavachSaveShards", (url, more) => kavachSaveShards(cid, { ...optionsFor(url), keyShards, ...more })],
  ["kavachShare", (url, more) => kavachShare(cid, { ...optionsFor(url), shareTo: friend, ...more })],
  ["kavachRevoke", (url, more) => kavachRevoke(cid, { ...optionsFor(url), revokeTo: friend, ...more })],
  [
    "kavachTransferOwnership",
    (url, more) => kavachTransferOwnership(cid, { ...optionsFor(url), newOwner: friend, ...more }),
  ],
];

const readNode = (path: string) => Number(path.at(-1));
const success: Handler = (_, response) => sendJson(response, { message: "success" });
const refuse: Handler = (_, response) => sendJson(response, { message: "down for repairs" }, 500);
const listCalledNodes = ({ requests }: TestServer) => requests.map(({ path }) => readNode(path)).sort();

/** Responds to no request before `count` of them have arrived. */
function holdUntil(count: number, handler: Handler): Handler {
  const held: (() => unknown)[] = [];
  return (...all) => {
    held.push(() => handler(...all));
    if (held.length >= count) for (const respond of held.splice(0)) void respond();
  };
}

describe.each(calls)('%s with pacing: "parallel"', (_, call) => {
  test("calls all nodes at once", async () => {
    const server = await createServer(holdUntil(5, success));
    // No pause, however long.
    expect(await call(server.url, { pauseMs: 100_000 })).toEqual({ nodes: NODES });
    expect(listCalledNodes(server)).toEqual(NODES);
  });

  test("reports every node that fails, and resume() calls those", async () => {
    let isBroken = true;
    const handler: Handler = (request, response, incoming) => {
      const fails = isBroken && [2, 4].includes(readNode(request.path));
      return (fails ? refuse : success)(request, response, incoming);
    };
    const server = await createServer((...all) => (isBroken ? hold(...all) : handler(...all)));
    const hold = holdUntil(5, handler);
    const error = await failure(call(server.url));
    expect(error).toBeInstanceOf(UnfinishedError);
    expect(error).toMatchObject({
      code: "NODE_REFUSED",
      message: "down for repairs",
      details: {
        node: 2,
        nodesDone: [1, 3, 5],
        failures: [
          { node: 2, message: "down for repairs" },
          { node: 4, message: "down for repairs" },
        ],
      },
    });
    isBroken = false;
    const before = server.requests.length;
    expect(await (error as Unfinished).resume()).toEqual({ nodes: NODES });
    expect(listCalledNodes(server).length - before).toBe(2);
  });

  test("an abort is reported once, with the nodes that were done, and resume() calls the others", async () => {
    const controller = new AbortController();
    const { signal } = controller;
    let responses = 0;
    // Nodes 3 to 5 never respond to the first call.
    const hold = holdUntil(5, (request, response, incoming) => {
      if (readNode(request.path) > 2) return;
      response.once("close", () => ++responses === 2 && setImmediate(() => controller.abort()));
      success(request, response, incoming);
    });
    const server = await createServer((...all) => (signal.aborted ? success : hold)(...all));
    const error = await failure(call(server.url, { signal }));
    const { nodesDone, failures } = error.details as { nodesDone: number[]; failures: object[] };
    expect(error).toMatchObject({ code: "ABORTED" });
    expect(failures).toMatchObject([{ code: "ABORTED" }]);
    expect([1, 2]).toEqual(expect.arrayContaining(nodesDone));
    const before = server.requests.length;
    expect(await (error as Unfinished).resume()).toEqual({ nodes: NODES });
    expect(server.requests.length - before).toBe(5 - nodesDone.length);
  });

  test("a connection that fails is tried again for its node alone", async () => {
    let failures = 2;
    const server = await createServer((request, response, incoming) => {
      const fails = request.path.endsWith("/3") && failures-- > 0;
      return (fails ? down : success)(request, response, incoming);
    });
    expect(await call(server.url)).toEqual({ nodes: NODES });
    expect(listCalledNodes(server)).toEqual([1, 2, 3, 3, 3, 4, 5]);
  });

  test("never has more requests in flight than maxInFlight", async () => {
    const hold = holdUntil(2, success);
    let requests = 0;
    const server = await createServer((...all) => (++requests <= 2 ? hold : success)(...all));
    expect(await call(server.url, { maxInFlight: 2 })).toEqual({ nodes: NODES });
    expect(server.maxConcurrent()).toBe(2);
  });
});

test("once a node has not saved its shard, no further shard is sent", async () => {
  const server = await createServer(refuse);
  const options = { ...optionsFor(server.url), keyShards, maxInFlight: 1 };
  expect(await failure(kavachSaveShards(cid, options))).toMatchObject({ details: { node: 1, nodesDone: [] } });
  // The next one had its turn when the response arrived.
  expect(server.requests.length).toBeLessThanOrEqual(2);
});

describe("an encrypted upload", () => {
  const isUpload = (path: string) => path === "/api/v0/add";
  const createNetwork = (node: Handler) =>
    createServer(async (request, response, incoming) =>
      isUpload(request.path) ? sendJson(response, await toStoredRows(request)) : node(request, response, incoming),
    );

  test("saves all shards of a file at once", async () => {
    const server = await createNetwork(holdUntil(5, success));
    const stored = await uploadEncrypted(new File(["x"], "f.txt"), { ...optionsFor(server.url), apiKey: "key" });
    expect(stored).toHaveLength(1);
    expect(server.requests).toHaveLength(6);
  });

  test("keeps every saved shard when one node fails, and resume() saves the missing one", async () => {
    let isBroken = true;
    const hold = holdUntil(5, (request, response, incoming) =>
      (request.path.endsWith("/4") ? refuse : success)(request, response, incoming),
    );
    const server = await createNetwork((...all) => (isBroken ? hold : success)(...all));
    const upload = uploadEncrypted(new File(["x"], "f.txt"), { ...optionsFor(server.url), apiKey: "key" });
    const error = (await failure(upload)) as UnfinishedUpload;
    expect(error).toMatchObject({
      code: "SHARDS_NOT_SAVED",
      details: { node: 4, unfinished: [{ nodesDone: [1, 2, 3, 5] }] },
    });
    isBroken = false;
    const before = server.requests.length;
    expect(await error.resume()).toHaveLength(1);
    expect(server.requests.slice(before).map(({ path }) => readNode(path))).toEqual([4]);
  });

  test('with saveOn: "enough" lists the nodes without a shard', async () => {
    const server = await createNetwork((request, response, incoming) =>
      ([1, 5].includes(readNode(request.path)) ? refuse : success)(request, response, incoming),
    );
    const options = { ...optionsFor(server.url), apiKey: "key", saveOn: "enough" } as const;
    const [stored] = await uploadEncrypted(new File(["x"], "f.txt"), options);
    expect(stored?.nodesMissing).toEqual([1, 5]);
  });
});

describe("a sign-in", () => {
  const share = (url: string, signer: ReturnType<typeof createSigner>) =>
    kavachShare(cid, { ...parallel, signer, endpoints: endpointsAt(url), shareTo: address });

  test("asks the wallet once for all nodes, and once again if all of them refuse the token and its refresh", async () => {
    const network = await createSignInNetwork();
    const signer = createSigner();
    expect(await share(network.url, signer)).toEqual({ nodes: NODES });
    expect(signer.signed).toHaveLength(1);
    network.valid.clear();
    expect(await share(network.url, signer)).toEqual({ nodes: NODES });
    expect(network.counts).toEqual({ messages: 1, signedIn: 1, refreshed: 1 });
    network.valid.clear();
    network.replace.refresh = (_, response) => sendJson(response, { message: "Invalid Signature" }, 400);
    expect(await share(network.url, signer)).toEqual({ nodes: NODES });
    expect(signer.signed).toHaveLength(2);
    expect(network.counts).toEqual({ messages: 2, signedIn: 2, refreshed: 2 });
  });

  test("that the wallet rejects is requested once, even if a node refuses the token later", async () => {
    let isRejecting = false;
    const signer = createSigner(address, async () => {
      if (isRejecting) throw new Error("rejected");
      return `0x${"5e".repeat(65)}`;
    });
    const network = await createSignInNetwork();
    const late: (() => void)[] = [];
    const { url } = await createServer(async (request, response) => {
      const isNode = request.path.startsWith("/api/setSharedKey");
      if (isRejecting && isNode) {
        const respond = () => sendJson(response, { message: "Invalid Signature" }, 401);
        if (readNode(request.path) < 5) return respond();
        late.push(respond);
        return undefined;
      }
      if (isRejecting && request.method === "PUT") {
        return sendJson(response, { message: "Invalid Signature" }, 400);
      }
      if (isRejecting) setImmediate(() => late.pop()?.());
      const { method, body, headers } = request;
      const { authorization = "" } = headers;
      const forwarded = await fetch(`${network.url}${request.path}`, {
        method,
        headers: { "Content-Type": "application/json", authorization },
        ...(body.length > 0 ? { body: body.toString() } : {}),
      });
      return sendJson(response, await forwarded.json(), forwarded.status);
    });
    expect(await share(url, signer)).toEqual({ nodes: NODES });
    isRejecting = true;
    const error = await failure(share(url, signer));
    expect(error).toMatchObject({ code: "SIGNATURE_REJECTED", details: { nodesDone: [], failures: [{ node: 1 }] } });
    expect(signer.signed).toHaveLength(2);
  });
});

describe('reading with pacing: "parallel"', () => {
  const silent: Handler = () => undefined;

  test.each([2, 3, 4, 5])("%d shards are the first that arrive, from nodes that are queried at once", async (count) => {
    const network = await createKeyNetwork(keyShards);
    const hold = holdUntil(5, ({ path }, response) => sendJson(response, { payload: keyShards[readNode(path) - 1] }));
    network.setHandlers(Object.fromEntries(NODES.map((node) => [node, hold])));
    const { shards, failures } = await kavachRecoverShards(cid, { ...optionsFor(network.url), count });
    expect(shards).toHaveLength(count);
    expect(shards).toEqual(shards.map(({ node }) => ({ node, ...keyShards[node - 1] })));
    expect(failures).toEqual([]);
    expect([...network.requestedNodes()].sort()).toEqual(NODES);
  });

  test.each([
    { strict: false, slow: [1, 4] },
    { strict: true, slow: [3] },
  ])(
    "$slow that never respond are not waited for with strict: $strict, and their requests end",
    async ({ strict, slow }) => {
      const network = await createKeyNetwork(keyShards, file);
      network.setHandlers(Object.fromEntries(slow.map((node) => [node, silent])));
      const expectNothingLeft = watchLeaks();
      const reports: KeyReport[] = [];
      const options = {
        ...optionsFor(network.url),
        strict,
        verifyCid: false,
        onKeyRecovered: (report: KeyReport) => void reports.push(report),
      };
      expect(await decrypt(cid, { ...options, verifyCid: false })).toEqual(plain);
      expect(reports.map(({ nodes }) => [...nodes].sort())).toEqual([NODES.filter((node) => !slow.includes(node))]);
      expect(reports).toMatchObject([{ failures: [], faultyNodes: [] }]);
      await expectNothingLeft();
      await eventually(() => expect(network.connections()).toBe(0));
    },
  );

  test("one node that returns a wrong shard before the others, and one that is down, do no harm", async () => {
    const network = await createKeyNetwork(keyShards, file);
    let isFaultyDone = false;
    const held: (() => void)[] = [];
    const later: Handler = ({ path }, response) => {
      const respond = () => sendJson(response, { payload: keyShards[readNode(path) - 1] });
      if (isFaultyDone) respond();
      else held.push(respond);
    };
    network.setHandlers({
      1: down,
      2: (_, response) => {
        response.once("close", () => {
          isFaultyDone = true;
          for (const respond of held) respond();
        });
        return sendJson(response, { payload: corruptShard(keyShards[1]) });
      },
      3: later,
      4: later,
      5: later,
    });
    const reports: KeyReport[] = [];
    const options = { ...optionsFor(network.url), onKeyRecovered: (report: KeyReport) => void reports.push(report) };
    expect(await decrypt(cid, { ...options, verifyCid: false })).toEqual(plain);
    expect(reports).toMatchObject([{ faultyNodes: [2], failures: [{ node: 1, code: "NETWORK" }] }]);
    expect(network.countDownloads()).toBe(1);
  });

  test("three nodes that deny the file end it, without waiting for the others", async () => {
    const network = await createKeyNetwork(keyShards, file);
    const deny = respondWith({ message: "Access Denied" }, 403);
    network.setHandlers({ 1: deny, 2: silent, 3: deny, 4: silent, 5: deny });
    const expectNothingLeft = watchLeaks();
    const error = await failure(kavachRecoverShards(cid, optionsFor(network.url)));
    expect(error).toMatchObject({ code: "NODE_REFUSED", message: "Access Denied" });
    await expectNothingLeft();
  });

  test("an inspection queries all nodes at once, and reports them in order", async () => {
    const hold = holdUntil(5, ({ path }, response) => sendJson(response, { payload: keyShards[readNode(path) - 1] }));
    const { url } = await createServer((request, response, incoming) =>
      request.path.startsWith("/api/retrieveSharedKey")
        ? hold(request, response, incoming)
        : sendJson(response, { owner: address, cid, sharedTo: [] }),
    );
    const { healthy, nodes } = await kavachInspect(cid, optionsFor(url));
    expect(healthy).toBe(true);
    expect(nodes.map(({ node }) => node)).toEqual(NODES);
  });
});

test("another pacing is refused before anything is sent, by each call and by createKit", async () => {
  const { url, requests } = await createServer(() => undefined);
  const wrong = { ...optionsFor(url), pacing: "fast" as never };
  const { address: _, authToken: __, ...withoutOwner } = wrong;
  const upload = { ...wrong, apiKey: "key" };
  const conditions: [typeof samples.native] = [samples.native];
  const key = { signature: "0x5e", refreshToken: "r:1" };
  const refused: Promise<unknown>[] = [
    ...calls.map(([, call]) => call(url, wrong)),
    decrypt(cid, { ...wrong, verifyCid: false }),
    openEncrypted(cid, wrong),
    kavachGetAccessConditions(cid, withoutOwner),
    kavachGetAuthMessage(address, withoutOwner),
    kavachGetJwt(address, { ...withoutOwner, signature: key.signature }),
    kavachRefreshJwt(address, { ...withoutOwner, refreshToken: key.refreshToken }),
    kavachInspect(cid, wrong),
    kavachRecoverShards(cid, wrong),
    kavachRepair(cid, wrong),
    kavachSetAccessConditions(cid, { ...wrong, conditions }),
    createShareLink(cid, { ...wrong, page: "https://example.com/open" }),
    makeRecoveryKit([cid], { ...wrong, passphrase: "a long passphrase of many words" }),
    uploadEncrypted(plain, upload),
    uploadTextEncrypted("text", upload),
  ];
  const expected = {
    code: "INVALID_OPTION",
    message: 'Invalid option pacing: expected "sequential" or "parallel"',
    details: { option: "pacing" },
  };
  for (const error of await Promise.all(refused.map(failure))) expect(error).toMatchObject(expected);
  expect(() => createKit({ pacing: "fast" as never })).toThrow(expected.message);
  expect(requests).toEqual([]);
});
