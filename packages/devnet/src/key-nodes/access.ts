import type { Hono } from "hono";
import type { ChainType } from "../conditions/condition.ts";
import { readAccess } from "../conditions/read-access.ts";
import { type Env, type Fields, Refusal } from "../http/json.ts";
import type { Network } from "../network.ts";
import { readCall, requireOwnFile } from "./caller.ts";
import type { StoredShard } from "./shard-store.ts";
import { createSuccess, readShard, storeShard } from "./shards.ts";

/** The response's field for the conditions of each chain type. */
const listFields: Readonly<Record<ChainType, string>> = {
  EVM: "conditions",
  SOLANA: "conditionsSolana",
  COREUM: "conditionsCoreum",
  RADIX: "conditionsRadix",
};

/** Access conditions of a file: its owner sets them on each node; any node returns them to anyone. */
export function addAccessRoutes(app: Hono<Env>, network: Network): void {
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
