import type { Context } from "hono";
import { normalizeAddress } from "../accounts.ts";
import { isAuthorizedFor, parseBearer } from "../credentials.ts";
import { type Env, type Fields, Refusal, readFields } from "../http/json.ts";
import type { Network } from "../network.ts";
import { NODE_COUNT, type ShardStore, type StoredShard } from "./shard-store.ts";

/** Maximum characters of a content id. */
const MAX_CID_LENGTH = 256;

/** The body of refusals, except of a refused share, whose message is a flat string. */
export const ACCESS_DENIED = { message: { message: "Access Denied" } };

/** A call to one node by an account, whose common fields are valid. */
export interface AccountCall {
  /** 1 to 5. */
  node: number;
  store: ShardStore;
  /** Normalized and authenticated by the bearer. */
  address: string;
  fields: Fields;
}

/** A call about one file. */
export interface Call extends AccountCall {
  cid: string;
}

/**
 * Reads the node, caller and file of a call.
 *
 * @throws Refusal 404 for a node that does not exist, 400 for bad fields, 401 for a bad bearer.
 */
export async function readCall(network: Network, c: Context<Env>): Promise<Call> {
  return readChecked(network, c, (fields) => ({ cid: readCid(fields["cid"]) }));
}

/** Reads the node and caller of a call about all files of an account; throws the same. */
export async function readAccountCall(network: Network, c: Context<Env>): Promise<AccountCall> {
  return readChecked(network, c, () => ({}));
}

async function readChecked<More>(network: Network, c: Context<Env>, readMore: (fields: Fields) => More) {
  const node = Number(c.req.param("node"));
  const store = Number.isInteger(node) && node <= NODE_COUNT ? network.shardStores[node - 1] : undefined;
  if (!store) throw new Refusal(404, "Not Found");
  const fields = await readFields(c);
  const address = readAddress(fields["address"]);
  const more = readMore(fields);
  const header = c.req.header("authorization");
  if (!(await isAuthorizedFor(network.auth, address, header, node))) throw new Refusal(401, "Invalid Signature");
  const token = parseBearer(header) ?? "";
  network.attacks.find("keep-tokens", { node })?.onToken({ node, address, token });
  return { node, store, address, fields, ...more };
}

function readCid(cid: unknown): string {
  if (typeof cid === "string" && cid !== "" && cid.length <= MAX_CID_LENGTH) return cid;
  throw new Refusal(400, "Invalid CID");
}

/**
 * Returns the stored shard of a file that the caller owns.
 *
 * @param message of the refusal if the file is unknown or has another owner. Default the nested one.
 */
export function requireOwnFile({ store, address, cid }: Call, message: unknown = ACCESS_DENIED): StoredShard {
  const stored = store.get(cid);
  if (stored?.owner !== address) throw new Refusal(403, message);
  return stored;
}

/** Reads one address or a list of them, normalized. */
export function readAddresses(value: unknown): string[] {
  return (Array.isArray(value) ? value : [value]).map(readAddress);
}

/** Reads an address, normalized. */
export function readAddress(value: unknown): string {
  const address = normalizeAddress(value);
  if (address === undefined) throw new Refusal(400, "Invalid address");
  return address;
}
