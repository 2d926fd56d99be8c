import { json, optional } from "../../base/checks.ts";
import { cidNotFound } from "../../base/errors/nodes.ts";
import { invalidResponse } from "../../base/errors/transport.ts";
import type { OptionSchema, Resolved } from "../../base/operation.ts";
import { checkAddress } from "../../base/validation/address.ts";
import { type KeyNodes, type NodeAuth, requestNode } from "../nodes/node-client.ts";
import { isKeyShard } from "../shards/read-shards.ts";
import type { KeyShard } from "../shards/sharing.ts";

/** Values for the placeholders of a file's access conditions, by their names. */
type DynamicData = Readonly<Record<string, unknown>>;

/** What a request for a shard may hold besides the file and the requesting address. */
export interface ShardRequestOptions {
  /** Values that the file's access conditions require, by their names. @default none */
  dynamicData?: DynamicData | undefined;
  /** Address of the file's owner, whose delegate requests the key. See {@link kavachSetDelegates}. @default none */
  ownerAddress?: string | undefined;
}

/** Checks {@link ShardRequestOptions}. */
export const shardRequestSchema = {
  dynamicData: json<DynamicData>(),
  ownerAddress: optional((value) => checkAddress(value)),
} satisfies OptionSchema<ShardRequestOptions>;

/** Fetches one node's shard, which is well-formed; throws `CID_NOT_FOUND` if the node has none. */
export async function retrieveShard(
  nodes: KeyNodes,
  auth: NodeAuth,
  node: number,
  cid: string,
  { dynamicData = {}, ownerAddress }: Partial<Resolved<typeof shardRequestSchema>> = {},
): Promise<KeyShard> {
  const path = `/api/retrieveSharedKey/${node}`;
  const json = { address: auth.address, cid, dynamicData, ownerAddress };
  const response = await requestNode(nodes, { method: "POST", path, json, node }, auth);
  // Some nodes return the shard itself.
  const { payload = response } = (response ?? {}) as { payload?: unknown };
  if (payload === null || payload === undefined) throw cidNotFound(cid);
  if (!isKeyShard(payload)) {
    throw invalidResponse({ method: "POST", url: path, node }, `key node ${node} returned no key shard`);
  }
  return { key: payload.key, index: payload.index };
}
