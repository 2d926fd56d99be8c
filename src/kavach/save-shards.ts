import { KEY_NODE_COUNT } from "../config/limits.ts";
import { invalidShardCount } from "../errors/nodes.ts";
import { checkAddresses } from "../input/address.ts";
import { checkOptions } from "../input/check-options.ts";
import { checkCid } from "../input/cid.ts";
import { type NodesDone, type OwnerCallOptions, ownerCallNames, runOnAllNodes } from "./all-nodes.ts";
import type { NodeRequest } from "./node-client.ts";
import { isKeyShard } from "./shards/read-shards.ts";
import type { KeyShard } from "./shards/sharing.ts";

/** Options of {@link kavachSaveShards}. */
export type SaveShardsOptions = OwnerCallOptions & {
  /** The five shards of the file's key; shard k goes to node k. */
  keyShards: readonly KeyShard[];
  /** Address or addresses that may recover the key besides the owner. Default none. */
  shareTo?: string | readonly string[] | undefined;
};

export const saveShardsNames = [ownerCallNames, "keyShards,shareTo"] as const;

/**
 * Saves the shards of a file's key on the five key nodes. Saving stops at the first node that fails.
 *
 * @throws `INVALID_CID`, `INVALID_SHARDS`, `INVALID_ADDRESS`, `MISSING_OWNER`; an {@link UnfinishedError}
 * if a node fails, which holds the shards and whose `resume()` goes on at that node
 */
export async function kavachSaveShards(cid: string, options: SaveShardsOptions): Promise<NodesDone> {
  checkOptions(options, saveShardsNames);
  checkCid(cid);
  const keyShards = checkFiveShards(options?.keyShards);
  const shareTo = options.shareTo === undefined ? [] : checkAddresses(options.shareTo);
  return runOnAllNodes(
    { request: (node, address) => saveRequest(node, { address, cid, keyShards, shareTo }) },
    options,
  );
}

/** One node's part of saving the shards of a key. */
export function saveRequest(
  node: number,
  file: { address: string; cid: string; keyShards: readonly KeyShard[]; shareTo: readonly string[] },
): Omit<NodeRequest, "node"> {
  const { address, cid, keyShards, shareTo } = file;
  return {
    method: "POST",
    path: `/api/setSharedKey/${node}`,
    json: { address, cid, payload: keyShards[node - 1], ...(shareTo.length > 0 ? { sharedTo: shareTo } : {}) },
  };
}

/** Exactly five well-formed shards, and nothing besides in them; throws `INVALID_SHARDS`. */
export function checkFiveShards(keyShards: unknown): KeyShard[] {
  if (!Array.isArray(keyShards) || keyShards.length !== KEY_NODE_COUNT || !keyShards.every(isKeyShard)) {
    throw invalidShardCount();
  }
  return keyShards.map(({ key, index }) => ({ key, index }));
}
