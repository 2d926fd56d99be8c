import type { Hono } from "hono";
import type { ChainType } from "../conditions/condition.ts";
import { readAccess } from "../conditions/read-access.ts";
import { type Env, type Fields, Refusal } from "../http/json.ts";
import type { Network } from "../network.ts";
import { ownFile, readCall } from "./caller.ts";
import type { Kept } from "./shard-store.ts";
import { keepShard, shardField, success } from "./shards.ts";

/** Where the answer has the conditions of each kind of chain. */
const listNames: Readonly<Record<ChainType, string>> = {
  EVM: "conditions",
  SOLANA: "conditionsSolana",
  COREUM: "conditionsCoreum",
  RADIX: "conditionsRadix",
};

/** Conditions of who may open a file: set by its owner on each node, told by any node to anyone. */
export function addAccessRoutes(app: Hono<Env>, network: Network): void {
  const { shardStores, stoppedNodes } = network;

  app.post("/api/fileAccessConditions/:node{[0-9]+}", async (c) => {
    const call = await readCall(network, c);
    const shard = shardField(call.fields["payload"]);
    keepShard(call, shard, { access: readAccess(call.fields, "ADDRESS") });
    return c.json(success());
  });

  app.put("/api/fileAccessConditions/:node{[0-9]+}", async (c) => {
    const call = await readCall(network, c);
    const kept = ownFile(call);
    // older clients never name a type here
    const access = readAccess(call.fields, kept.access?.decryptionType ?? "ADDRESS");
    call.store.set(call.cid, { ...kept, access });
    return c.json(success());
  });

  app.get("/api/fileAccessConditions/get/:cid", (c) => {
    const cid = c.req.param("cid");
    const kept = shardStores
      .filter((_, index) => !stoppedNodes.has(index + 1))
      .map((store) => store.get(cid))
      .find((found) => found !== undefined);
    if (!kept) throw new Refusal(404, "cid not found");
    return c.json(wordAccess(cid, kept));
  });
}

function wordAccess(cid: string, { owner, sharedTo, access }: Kept): Fields {
  const chainType = access?.chainType ?? "EVM";
  return {
    aggregator: access?.aggregator ?? "",
    owner,
    cid,
    sharedTo,
    conditions: [],
    conditionsSolana: [],
    [listNames[chainType]]: access?.conditions ?? [],
    decryptionType: access?.decryptionType ?? "ADDRESS",
    chainType,
  };
}
