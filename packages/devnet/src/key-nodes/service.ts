import type { Hono } from "hono";
import type { ChainType } from "../conditions/condition.ts";
import { readAccess } from "../conditions/read-access.ts";
import { checkSignature, getMessage } from "../credentials.ts";
import { createJsonApp, type Env, type Fields, Refusal, readFields } from "../http/json.ts";
import type { Network } from "../network.ts";
import { readAccountCall, readAddress, readAddresses, readCall, requireOwnFile } from "./caller.ts";
import type { StoredShard } from "./shard-store.ts";
import { addShardRoutes, createSuccess, readShard, storeShard } from "./shards.ts";

/** Creates the one host of the five key nodes. */
export function createKeyNodesService(network: Network): Hono<Env> {
  const app = createJsonApp();
  addTokenRoutes(app, network);
  addShardRoutes(app, network);
  addAccessRoutes(app, network);
  addDelegateRoutes(app, network);
  return app;
}

/** Messages to sign, and tokens in exchange for their signatures and for refresh tokens. */
function addTokenRoutes(app: Hono<Env>, network: Network): void {
  const { jwts } = network.auth;
  app.get("/api/message/:address", (c) =>
    c.json([{ message: getMessage(network, "keyNodes", readAddress(c.req.param("address"))) }]),
  );

  app.post("/api/message/get-jwt", async (c) => {
    const { address: claimed, signature } = await readFields(c);
    const address = readAddress(claimed);
    checkSignature(network, "keyNodes", address, signature);
    return c.json(await jwts.issue(address));
  });

  app.put("/api/message/get-jwt", async (c) => {
    const { address: claimed, refreshToken } = await readFields(c);
    const address = readAddress(claimed);
    const pair = typeof refreshToken === "string" ? await jwts.refresh(address, refreshToken) : undefined;
    if (!pair) throw new Refusal(406, "Invalid refresh token");
    return c.json(pair);
  });
}

/** The response's field for the conditions of each chain type. */
const listFields: Readonly<Record<ChainType, string>> = {
  EVM: "conditions",
  SOLANA: "conditionsSolana",
  COREUM: "conditionsCoreum",
  RADIX: "conditionsRadix",
};

/** Access conditions of a file: its owner sets them on each node; any node returns them to anyone. */
function addAccessRoutes(app: Hono<Env>, network: Network): void {
  const { shardStores, stoppedNodes, attacks } = network;

  app.post("/api/fileAccessConditions/:node{[0-9]+}", async (c) => {
    const call = await readCall(network, c);
    const shard = readShard(call.fields["payload"]);
    storeShard(call, shard, { access: readAccess(call.fields, "ADDRESS") });
    return c.json(createSuccess());
  });

  app.put("/api/fileAccessConditions/:node{[0-9]+}", async (c) => {
    const call = await readCall(network, c);
    const stored = requireOwnFile(call);
    // older clients never send a type here
    const access = readAccess(call.fields, stored.access?.decryptionType ?? "ADDRESS");
    call.store.set(call.cid, { ...stored, access });
    return c.json(createSuccess());
  });

  app.get("/api/fileAccessConditions/get/:cid", async (c) => {
    const cid = c.req.param("cid");
    const response = await attacks.replay({ service: "keyNodes", cid }, `access ${cid}`, () => {
      const stored = shardStores
        .filter((_, index) => !stoppedNodes.has(index + 1))
        .map((store) => store.get(cid))
        .find((found) => found !== undefined);
      if (!stored) throw new Refusal(404, "cid not found");
      const { owner = stored.owner, sharedTo = stored.sharedTo } = attacks.find("misreport-access", { cid }) ?? {};
      return toAccessResponse(cid, { ...stored, owner, sharedTo });
    });
    return c.json(response);
  });
}

function toAccessResponse(cid: string, { owner, sharedTo, access }: StoredShard): Fields {
  const chainType = access?.chainType ?? "EVM";
  return {
    aggregator: access?.aggregator ?? "",
    owner,
    cid,
    sharedTo,
    conditions: [],
    conditionsSolana: [],
    [listFields[chainType]]: access?.conditions ?? [],
    decryptionType: access?.decryptionType ?? "ADDRESS",
    chainType,
  };
}

/** Sets the accounts that may open all files of an owner on one node. The list replaces the former one. */
function addDelegateRoutes(app: Hono<Env>, network: Network): void {
  app.post("/api/setAllFilesAccess/:node", async (c) => {
    const { store, address, fields } = await readAccountCall(network, c);
    const { allFilesAccess } = fields;
    if (!Array.isArray(allFilesAccess)) throw new Refusal(400, "Invalid allFilesAccess");
    store.setDelegates(address, readAddresses(allFilesAccess));
    return c.json(createSuccess());
  });
}
