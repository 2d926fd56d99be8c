import { inspect } from "node:util";
import { Wallet } from "ethers";
import { describe, expect, it } from "vitest";
import { UnfinishedError } from "../../src/base/errors/unfinished.ts";
import { createKit, type FiveShards, kavachGetAccessConditions } from "../../src/index.ts";
import { kavachSetAccessConditions } from "../../src/keys/access/set-access-conditions.ts";
import { kavachTransferOwnership } from "../../src/keys/access/transfer-ownership.ts";
import type { EvmCondition } from "../../src/keys/conditions/chains.ts";
import type { CompletedNodes } from "../../src/keys/nodes/run-on-all-nodes.ts";
import { failure } from "../support/failure.ts";
import { cid } from "../support/fixtures.ts";
import { createServer, type Handler, sendJson, type TestServer } from "../support/http-server.ts";
import { samples, solanaSamples } from "./samples.ts";

const address = "0x00000000000000000000000000000000000a11ce";
const newOwner = "0x0000000000000000000000000000000000000b0b";
const quick = { pauseMs: 0, retryMs: 0 };
const { token, custom } = samples;
const keyShards = Array.from({ length: 5 }, (_, at) => ({
  key: `${at}`.repeat(64),
  index: `${at + 1}`.padStart(64, "0"),
})) as FiveShards;

const success: Handler = (_, response) => sendJson(response, { message: "success" });

/** Creates a handler that refuses `times` requests to `node`, and accepts all others. */
function refuseAt(node: number, times = 1): Handler {
  let left = times;
  return ({ path }, response) => {
    if (!path.endsWith(`/${node}`) || left-- <= 0) return sendJson(response, { message: "success" });
    return sendJson(response, { message: { message: "Access Denied" } }, 403);
  };
}

async function start(handler: Handler) {
  const server = await createServer(handler);
  return { server, options: { ...quick, address, authToken: "jwt:owner", endpoints: { keyNodes: server.url } } };
}

function sent({ requests }: TestServer) {
  return requests.map(({ method, path, headers, body }) => ({
    call: `${method} ${path}`,
    bearer: headers.authorization,
    json: body.length === 0 ? undefined : (JSON.parse(body.toString()) as Record<string, unknown>),
  }));
}

const nodes = [1, 2, 3, 4, 5];

describe("kavachSetAccessConditions", () => {
  it("with shards POSTs each node its own, and every field", async () => {
    const { server, options } = await start(success);
    const conditions = [token, { ...custom, id: 2 }];
    const done = await kavachSetAccessConditions(cid, {
      ...options,
      conditions,
      aggregator: "([1] or [2])",
      keyShards,
    });
    expect(done).toEqual({ nodes });
    expect(sent(server)).toEqual(
      nodes.map((node) => ({
        call: `POST /api/fileAccessConditions/${node}`,
        bearer: "Bearer jwt:owner",
        json: {
          address,
          cid,
          conditions,
          aggregator: "([1] or [2])",
          decryptionType: "ADDRESS",
          chainType: "EVM",
          payload: keyShards[node - 1],
        },
      })),
    );
  });

  it.each([undefined, [] as const])("with %j as shards PUTs the same fields without one", async (none) => {
    const { server, options } = await start(success);
    const more = { decryptionType: "access_conditions", chainType: "solana", keyShards: none } as const;
    await kavachSetAccessConditions(cid, {
      ...options,
      ...more,
      conditions: [{ ...solanaSamples.token, chain: "devnet" as const }],
    });
    expect(sent(server)).toEqual(
      nodes.map((node) => ({
        call: `PUT /api/fileAccessConditions/${node}`,
        bearer: "Bearer jwt:owner",
        json: {
          address,
          cid,
          conditions: [solanaSamples.token],
          decryptionType: "ACCESS_CONDITIONS",
          chainType: "SOLANA",
        },
      })),
    );
  });

  it.each<[string, unknown]>([
    ["4 shards", keyShards.slice(1)],
    ["6 shards", [...keyShards, keyShards[0]]],
    ["1 shard", keyShards.slice(4)],
    ["5 strings", ["a", "b", "c", "d", "e"]],
    ["5 nulls", [null, null, null, null, null]],
    ["an object", { length: 5 }],
    ["null", null],
  ])("refuses %s", async (_, wrong) => {
    const { server, options } = await start(success);
    const call = kavachSetAccessConditions(cid, { ...options, conditions: [token], keyShards: wrong as never });
    expect(await failure(call)).toMatchObject({
      code: "INVALID_SHARDS",
      message: "keyShards must be an array of 5 objects",
    });
    expect(server.requests).toEqual([]);
  });

  it("names the shard that is malformed", async () => {
    const { server, options } = await start(success);
    const wrong = [...keyShards.slice(1), {}] as never;
    const error = await failure(kavachSetAccessConditions(cid, { ...options, conditions: [token], keyShards: wrong }));
    expect(error.code).toBe("INVALID_SHARDS");
    expect(error.message).toMatch(/^keyShards\[4\]: must have /);
    expect(server.requests).toEqual([]);
  });

  it("refuses an invalid CID and invalid conditions before anything is sent", async () => {
    const { server, options } = await start(success);
    const badCid = await failure(kavachSetAccessConditions(`${cid}?`, { ...options, conditions: [token] }));
    expect(badCid).toMatchObject({ code: "INVALID_CID", message: "Invalid CID" });
    const none = await failure(kavachSetAccessConditions(cid, { ...options, conditions: [] }));
    expect(none.code).toBe("INVALID_CONDITION");
    expect(server.requests).toEqual([]);
  });

  it("a partial failure names the completed nodes, shows no shard, and resumes where it stopped", async () => {
    const { server, options } = await start(refuseAt(4));
    const error = await failure(kavachSetAccessConditions(cid, { ...options, conditions: [token], keyShards }));
    expect(error).toBeInstanceOf(UnfinishedError);
    expect(error).toMatchObject({ message: "Access Denied", details: { node: 4, nodesDone: [1, 2, 3] } });
    const shown = inspect(error, { depth: 20, showHidden: true }) + JSON.stringify(error);
    for (const { key, index } of keyShards) {
      expect(shown).not.toContain(key);
      expect(shown).not.toContain(index);
    }
    const { resume } = error as UnfinishedError<CompletedNodes, { authToken?: string }>;
    expect(await resume.call(error, { authToken: "jwt:fresh" })).toEqual({ nodes });
    expect(sent(server).map(({ call, bearer, json }) => [call.slice(-1), bearer, json?.["payload"]])).toEqual([
      ...nodes.slice(0, 4).map((node) => [`${node}`, "Bearer jwt:owner", keyShards[node - 1]]),
      ...nodes.slice(3).map((node) => [`${node}`, "Bearer jwt:fresh", keyShards[node - 1]]),
    ]);
  });

  it("ignores changes that the caller makes to its arguments during the call", async () => {
    const { server, options } = await start(refuseAt(2));
    const conditions: EvmCondition[] = [{ ...token, chain: "Polygon" as string }];
    const error = await failure(kavachSetAccessConditions(cid, { ...options, conditions }));
    for (const condition of conditions) condition.chain = "Elsewhere";
    conditions.pop();
    await (error as UnfinishedError<CompletedNodes, object>).resume();
    expect(sent(server).map(({ json }) => json?.["conditions"])).toEqual(Array.from({ length: 6 }, () => [token]));
  });
});

describe("kavachGetAccessConditions", () => {
  const known = {
    aggregator: "([1] and [2])",
    owner: address,
    cid,
    sharedTo: [newOwner],
    conditions: [token],
    conditionsSolana: [solanaSamples.token],
    decryptionType: "ADDRESS",
    updatedAt: 5,
  };

  it("sends no authorization, and returns the nodes' response", async () => {
    const { server, options } = await start((_, response) => sendJson(response, known));
    const { endpoints } = options;
    expect(await kavachGetAccessConditions(cid, { endpoints, ...quick })).toEqual(known);
    expect(sent(server)).toEqual([
      { call: `GET /api/fileAccessConditions/get/${cid}`, bearer: undefined, json: undefined },
    ]);
  });

  it("fills in missing fields of a response", async () => {
    const body = { owner: address, cid, aggregator: null, sharedTo: null, conditionsSolana: null };
    const { options } = await start((_, response) => sendJson(response, body));
    expect(await createKit(options).kavachGetAccessConditions(cid)).toEqual({
      ...known,
      aggregator: "",
      sharedTo: [],
      conditions: [],
      conditionsSolana: [],
      decryptionType: undefined,
      updatedAt: undefined,
    });
  });

  it("reports that the nodes do not know the file", async () => {
    const { options } = await start((_, response) => sendJson(response, null));
    expect(await failure(createKit(options).kavachGetAccessConditions(cid))).toMatchObject({
      code: "CID_NOT_FOUND",
      message: "cid not found",
    });
    const missing = await start((_, response) => sendJson(response, {}, 404));
    expect(await failure(createKit(missing.options).kavachGetAccessConditions(cid))).toMatchObject({
      message: "fetch Error",
    });
    expect(missing.server.requests).toHaveLength(3);
  });

  it.each([[], "text", 5, {}, { ...known, conditions: {} }, { ...known, owner: 5 }, { ...known, sharedTo: [5] }])(
    "refuses the response %j",
    async (body) => {
      const { options } = await start((_, response) => sendJson(response, body));
      expect((await failure(createKit(options).kavachGetAccessConditions(cid))).code).toBe("INVALID_RESPONSE");
    },
  );

  it("refuses an invalid CID", async () => {
    const { server, options } = await start(success);
    expect((await failure(createKit(options).kavachGetAccessConditions("../message/x"))).code).toBe("INVALID_CID");
    expect(server.requests).toEqual([]);
  });
});

describe("kavachTransferOwnership", () => {
  const solana = "7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtVq";

  it.each([
    [undefined, true],
    [true, true],
    [false, false],
  ])("with resetSharedTo %o sends %o to every node", async (resetSharedTo, expected) => {
    const { server, options } = await start(success);
    expect(await kavachTransferOwnership(cid, { ...options, newOwner, resetSharedTo })).toEqual({ nodes });
    expect(sent(server)).toEqual(
      nodes.map((node) => ({
        call: `POST /api/transferOwnership/${node}`,
        bearer: "Bearer jwt:owner",
        json: { address, cid, newOwner, resetSharedTo: expected },
      })),
    );
  });

  it("accepts EVM addresses in any case, and Solana ones", async () => {
    const wallet = Wallet.createRandom().address;
    for (const [passed, expected] of [
      [wallet, wallet.toLowerCase()],
      [solana, solana],
    ] as const) {
      const { server, options } = await start(success);
      await kavachTransferOwnership(cid, { ...options, newOwner: passed });
      expect(sent(server)[0]?.json).toMatchObject({ newOwner: expected });
    }
  });

  it.each<[string, object, string]>([
    ["no new owner", { newOwner: undefined }, "INVALID_ADDRESS"],
    ["an invalid new owner", { newOwner: "bob" }, "INVALID_ADDRESS"],
    ["a list of new owners", { newOwner: [newOwner] }, "INVALID_ADDRESS"],
    ["a string as a boolean", { newOwner, resetSharedTo: "false" }, "INVALID_OPTION"],
    ["no current owner", { newOwner, authToken: undefined }, "MISSING_OWNER"],
  ])("refuses %s before anything is sent", async (_, wrong, code) => {
    const { server, options } = await start(success);
    expect((await failure(kavachTransferOwnership(cid, { ...options, ...wrong } as never))).code).toBe(code);
    expect((await failure(kavachTransferOwnership("x", { ...options, newOwner }))).code).toBe("INVALID_CID");
    expect(server.requests).toEqual([]);
  });

  it("a partial failure names the nodes with the new owner, and resume calls the others again", async () => {
    const { server, options } = await start(refuseAt(3, 2));
    const first = await failure(kavachTransferOwnership(cid, { ...options, newOwner, resetSharedTo: false }));
    expect(first).toMatchObject({ message: "Access Denied", details: { node: 3, nodesDone: [1, 2, 4, 5] } });
    const second = await failure((first as UnfinishedError<CompletedNodes, object>).resume());
    expect(second).toMatchObject({ message: "Access Denied", details: { node: 3, nodesDone: [1, 2, 4, 5] } });
    expect(await (second as UnfinishedError<CompletedNodes, object>).resume()).toEqual({ nodes });
    const transfers = sent(server).filter(({ call }) => call.startsWith("POST /api/transferOwnership/"));
    expect(transfers.map(({ call }) => Number(call.slice(-1)))).toEqual([1, 2, 3, 4, 5, 3, 3]);
    for (const { json } of transfers) expect(json).toEqual({ address, cid, newOwner, resetSharedTo: false });
  });
});
