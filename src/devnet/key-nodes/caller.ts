import type { Context } from "hono";
import { normalizeAddress } from "../auth/addresses.ts";
import { speaksFor } from "../auth/bearers.ts";
import { type Env, type Fields, Refusal, readFields } from "../http/json.ts";
import { type Network, NODE_COUNT } from "../network.ts";
import type { Kept, ShardStore } from "./shard-store.ts";

/** Characters of the longest content id that is looked up. */
const MAX_CID_LENGTH = 256;

/** How the nodes refuse, but for a refused share, whose message is a flat string. */
const NESTED_DENIAL = { message: { message: "Access Denied" } };

/** A call to one node, with what every such call carries checked. */
export interface Call {
  store: ShardStore;
  /** Normalized; the bearer speaks for it. */
  address: string;
  cid: string;
  fields: Fields;
}

/**
 * Reads who calls which node about which file.
 *
 * @throws Refusal 404 for a node that does not exist, 400 for bad fields, 401 for a bad bearer.
 */
export async function readCall(network: Network, c: Context<Env>): Promise<Call> {
  const node = Number(c.req.param("node"));
  const store = Number.isInteger(node) && node <= NODE_COUNT ? network.shardStores[node - 1] : undefined;
  if (!store) throw new Refusal(404, "Not Found");
  const fields = await readFields(c);
  const address = addressField(fields["address"]);
  const cid = fields["cid"];
  if (typeof cid !== "string" || cid === "" || cid.length > MAX_CID_LENGTH) throw new Refusal(400, "Invalid CID");
  if (!(await speaksFor(network.auth, address, c.req.header("authorization"), node))) {
    throw new Refusal(401, "Invalid Signature");
  }
  return { store, address, cid, fields };
}

/**
 * Looks up what the node keeps about a file that the caller owns.
 *
 * @param message of the refusal for somebody else's file or an unknown one. Default the nested one.
 */
export function ownFile({ store, address, cid }: Call, message: unknown = NESTED_DENIAL): Kept {
  const kept = store.get(cid);
  if (kept?.owner !== address) throw new Refusal(403, message);
  return kept;
}

/** One address, or a list of them, normalized. */
export function addressList(value: unknown): string[] {
  return (Array.isArray(value) ? value : [value]).map(addressField);
}

/** An address, normalized. */
export function addressField(value: unknown): string {
  const address = normalizeAddress(value);
  if (address === undefined) throw new Refusal(400, "Invalid address");
  return address;
}

/** Refuses somebody else's file. */
export function accessDenied(): Refusal {
  return new Refusal(403, NESTED_DENIAL);
}
