import { randomBytes, randomUUID } from "node:crypto";
import type { Hono } from "hono";
import { normalizeAddress } from "../accounts.ts";
import { type FindRpcUrl, meetsConditions } from "../conditions/evaluate-access.ts";
import { type Env, type Fields, Refusal } from "../http/json.ts";
import type { Network } from "../network.ts";
import { ACCESS_DENIED, type Call, readAddress, readAddresses, readCall, requireOwnFile } from "./caller.ts";
import type { Shard, StoredShard } from "./shard-store.ts";

/** Saves, shares, revokes, retrieves and transfers the shards of one node. */
export function addShardRoutes(app: Hono<Env>, network: Network): void {
  app.post("/api/setSharedKey/:node", async (c) => {
    const call = await readCall(network, c);
    const { fields } = call;
    const shard = readShard(fields["payload"]);
    const sharedTo = fields["sharedTo"] === undefined ? undefined : removeDuplicates(readAddresses(fields["sharedTo"]));
    storeShard(call, shard, sharedTo === undefined ? {} : { sharedTo });
    return c.json(createSuccess());
  });

  app.put("/api/setSharedKey/:node", async (c) => {
    const call = await readCall(network, c);
    const added = readAddresses(call.fields["shareTo"]);
    const stored = requireOwnFile(call, "Access Denied");
    call.store.set(call.cid, { ...stored, sharedTo: removeDuplicates([...stored.sharedTo, ...added]) });
    return c.json(createSuccess());
  });

  app.delete("/api/setSharedKey/:node", async (c) => {
    const call = await readCall(network, c);
    const removed = readAddresses(call.fields["revokeTo"]);
    const stored = requireOwnFile(call);
    call.store.set(call.cid, { ...stored, sharedTo: stored.sharedTo.filter((address) => !removed.includes(address)) });
    return c.json(createSuccess());
  });

  app.post("/api/retrieveSharedKey/:node", async (c) => {
    const call = await readCall(network, c);
    const { node, address, cid } = call;
    const forge = network.forgedRequests.has(c.env.incoming) ? forgeShard : (shard: Shard) => shard;
    const payload = await network.attacks.replay({ service: "keyNodes", cid, node }, `${node} ${address} ${cid}`, () =>
      releaseShard(network, call),
    );
    return c.json({ payload: payload && forge(payload) });
  });

  app.post("/api/transferOwnership/:node", async (c) => {
    const call = await readCall(network, c);
    const owner = readAddress(call.fields["newOwner"]);
    const stored = requireOwnFile(call);
    const reset = call.fields["resetSharedTo"] !== false;
    call.store.set(call.cid, { ...stored, owner, sharedTo: reset ? [] : stored.sharedTo });
    // older clients compare these responses as a whole, so they must be identical on all nodes
    return c.json({ message: "success" });
  });
}

/** Returns the shard that the node releases to the caller; refuses a caller without access. */
async function releaseShard(network: Network, call: Call): Promise<Shard | null> {
  const { node, store, address, cid, fields } = call;
  const dynamicData = readDynamicData(fields["dynamicData"]);
  const stored = store.get(cid);
  if (!stored) return null;
  const admitted = network.attacks.find("admit", { cid, node })?.addresses.map(normalizeAddress);
  const isAdmitted =
    admitted?.includes(address) ||
    isDelegate(call, stored) ||
    (await isAuthorized(stored, address, dynamicData, network.findRpcUrl));
  if (!isAdmitted) throw new Refusal(403, ACCESS_DENIED);
  return network.attacks.find("return-shards", { cid, node })?.shards[node] ?? stored.shard;
}

/** Stores a shard for its owner: the first writer of a file, and afterwards only that address. */
export function storeShard({ store, address, cid }: Call, shard: Shard, change: Partial<StoredShard>): void {
  const before = store.get(cid);
  if (before && before.owner !== address) throw new Refusal(403, ACCESS_DENIED);
  const { sharedTo = [], access } = before ?? {};
  store.set(cid, { sharedTo, access, ...change, owner: address, shard });
}

/** Creates the response to a successful call. */
export function createSuccess(): { message: "success"; data: { id: string } } {
  return { message: "success", data: { id: randomUUID() } };
}

/** Reads a shard; refuses anything else with 400. */
export function readShard(value: unknown): Shard {
  if (typeof value === "object" && value !== null && "key" in value && "index" in value) {
    const { key, index } = value;
    if (isHex(key) && isHex(index)) return { key, index };
  }
  throw new Refusal(400, "Invalid payload");
}

function readDynamicData(value: unknown): Fields {
  if (value === undefined || value === null) return {};
  if (typeof value === "object" && !Array.isArray(value)) return value as Fields;
  throw new Refusal(400, "Invalid dynamicData");
}

function isHex(value: unknown): value is string {
  return typeof value === "string" && /^[0-9a-f]+$/i.test(value);
}

function removeDuplicates(addresses: readonly string[]): string[] {
  return [...new Set(addresses)];
}

/**
 * Returns whether a node releases its shard to `address`: to the owner, to recipients of the file, and to any address
 * that meets the owner's conditions.
 */
async function isAuthorized(
  { owner, sharedTo, access }: StoredShard,
  address: string,
  dynamicData: Fields,
  findRpcUrl: FindRpcUrl,
): Promise<boolean> {
  if (owner === address || sharedTo.includes(address)) return true;
  if (access === undefined) return false;
  return meetsConditions(access, address, dynamicData, findRpcUrl);
}

/** Whether the caller names the owner of the file, and is their delegate. */
function isDelegate({ store, address, fields }: Call, { owner }: StoredShard): boolean {
  const { ownerAddress } = fields;
  if (ownerAddress === undefined || readAddress(ownerAddress) !== owner) return false;
  return store.getDelegates(owner).includes(address);
}

/** Creates a wrong shard with the same index that is indistinguishable by its format. */
function forgeShard({ key, index }: Shard): Shard {
  const bytes = randomBytes(Math.ceil(key.length / 2));
  // keeps a 32-byte key below the order of every scalar field in use
  bytes[0] = (bytes[0] ?? 0) & 0x3f;
  return { key: bytes.toString("hex").slice(0, key.length), index };
}
