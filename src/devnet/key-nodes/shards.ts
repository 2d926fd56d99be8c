import { randomUUID } from "node:crypto";
import type { Hono } from "hono";
import { type Env, type Fields, Refusal } from "../http/json.ts";
import type { Network } from "../network.ts";
import { mayOpen } from "./authorize.ts";
import { accessDenied, addressField, addressList, type Call, ownFile, readCall } from "./caller.ts";
import { forge } from "./forged-shard.ts";
import type { Kept, Shard } from "./shard-store.ts";

/** Saving, sharing, revoking, reading and handing over the shard that one node keeps. */
export function addShardRoutes(app: Hono<Env>, network: Network): void {
  app.post("/api/setSharedKey/:node", async (c) => {
    const call = await readCall(network, c);
    const { fields } = call;
    const shard = shardField(fields["payload"]);
    const sharedTo = fields["sharedTo"] === undefined ? undefined : unique(addressList(fields["sharedTo"]));
    keepShard(call, shard, sharedTo === undefined ? {} : { sharedTo });
    return c.json(success());
  });

  app.put("/api/setSharedKey/:node", async (c) => {
    const call = await readCall(network, c);
    const added = addressList(call.fields["shareTo"]);
    const kept = ownFile(call, "Access Denied");
    call.store.set(call.cid, { ...kept, sharedTo: unique([...kept.sharedTo, ...added]) });
    return c.json(success());
  });

  app.delete("/api/setSharedKey/:node", async (c) => {
    const call = await readCall(network, c);
    const removed = addressList(call.fields["revokeTo"]);
    const kept = ownFile(call);
    call.store.set(call.cid, { ...kept, sharedTo: kept.sharedTo.filter((address) => !removed.includes(address)) });
    return c.json(success());
  });

  app.post("/api/retrieveSharedKey/:node", async (c) => {
    const { store, address, cid, fields } = await readCall(network, c);
    const dynamicData = dynamicDataField(fields["dynamicData"]);
    const kept = store.get(cid);
    if (!kept) return c.json({ payload: null });
    if (!(await mayOpen(kept, address, dynamicData, network.rpcOf))) throw accessDenied();
    return c.json({ payload: network.liars.has(c.env.incoming) ? forge(kept.shard) : kept.shard });
  });

  app.post("/api/transferOwnership/:node", async (c) => {
    const call = await readCall(network, c);
    const owner = addressField(call.fields["newOwner"]);
    const kept = ownFile(call);
    const reset = call.fields["resetSharedTo"] !== false;
    call.store.set(call.cid, { ...kept, owner, sharedTo: reset ? [] : kept.sharedTo });
    // older clients compare the whole of these answers, so nothing in them may differ per node
    return c.json({ message: "success" });
  });
}

/** Keeps a shard for its owner: whoever writes a file first, and only they from then on. */
export function keepShard({ store, address, cid }: Call, shard: Shard, change: Partial<Kept>): void {
  const before = store.get(cid);
  if (before && before.owner !== address) throw accessDenied();
  const { sharedTo = [], access } = before ?? {};
  store.set(cid, { sharedTo, access, ...change, owner: address, shard });
}

/** The answer to a call that did what it should. */
export function success(): { message: "success"; data: { id: string } } {
  return { message: "success", data: { id: randomUUID() } };
}

/** A shard; anything else is refused with 400. */
export function shardField(value: unknown): Shard {
  if (typeof value === "object" && value !== null && "key" in value && "index" in value) {
    const { key, index } = value;
    if (isHex(key) && isHex(index)) return { key, index };
  }
  throw new Refusal(400, "Invalid payload");
}

function dynamicDataField(value: unknown): Fields {
  if (value === undefined || value === null) return {};
  if (typeof value === "object" && !Array.isArray(value)) return value as Fields;
  throw new Refusal(400, "Invalid dynamicData");
}

function isHex(value: unknown): value is string {
  return typeof value === "string" && /^[0-9a-f]+$/i.test(value);
}

function unique(addresses: readonly string[]): string[] {
  return [...new Set(addresses)];
}
