import { DEFAULT_THRESHOLD, KEY_NODE_COUNT } from "../../config/limits.ts";
import { invalidOption } from "../../errors/input.ts";
import { invalidShardCount } from "../../errors/nodes.ts";
import { type Addresses, checkAddresses } from "../../validation/address.ts";
import { checkOptions, pickOptions } from "../../validation/check-options.ts";
import { checkCid } from "../../validation/cid.ts";
import { wholeNumber } from "../../validation/number.ts";
import type { NodeRequest } from "../nodes/node-client.ts";
import {
  type CompletedNodes,
  type OwnerChangeOptions,
  ownerChangeNames,
  runOnAllNodes,
} from "../nodes/run-on-all-nodes.ts";
import { checkKeyShard } from "../shards/read-shards.ts";
import type { FiveShards, KeyShard } from "../shards/sharing.ts";

/** How many nodes have to save their shard. */
export interface SaveOnOptions {
  /**
   * When saving a key succeeds. `all`: on all five nodes, and saving stops at the first that fails. `enough`: on as
   * many nodes as `threshold`; the nodes after a failed one are called as well, and the result lists those without a
   * shard, for `kavachRepair` to save it later. With exactly `threshold` shards saved, losing one loses the file.
   *
   * @default "all"
   */
  saveOn?: "all" | "enough" | undefined;
  /** How many of a key's five shards recover it, 2 to 5. Default 3, which is how many other clients fetch. */
  threshold?: number | undefined;
}

export const saveOnNames = "saveOn,threshold";

/** {@link SaveOnOptions} as rules for calling the nodes. */
export interface SavingRule {
  afterFailure: "stop" | "continue";
  /** How many nodes make a success. */
  enough: number;
}

/** Fills in the defaults; throws `INVALID_OPTION`. */
export function resolveSavingRule({ saveOn = "all", threshold }: SaveOnOptions): SavingRule {
  if (saveOn === "all") return { afterFailure: "stop", enough: KEY_NODE_COUNT };
  if (saveOn !== "enough") throw invalidOption("saveOn", '"all" or "enough"');
  return {
    afterFailure: "continue",
    enough: wholeNumber("threshold", threshold, DEFAULT_THRESHOLD, 2, KEY_NODE_COUNT),
  };
}

/** Options of {@link kavachSaveShards}. */
export type SaveShardsOptions = OwnerChangeOptions &
  SaveOnOptions & {
    /** The five shards of the file's key; node k receives shard k. */
    keyShards: Readonly<FiveShards>;
    /** Address or addresses that may recover the key besides the owner. Default none. */
    shareTo?: Addresses | undefined;
  };

export const saveShardsNames = [ownerChangeNames, saveOnNames, "keyShards,shareTo"] as const;

/**
 * Saves the shards of a file's key on the five key nodes. Saving stops at the first node that fails, unless `saveOn`
 * is `enough`.
 *
 * @throws `INVALID_CID`, `INVALID_SHARDS`, `INVALID_ADDRESS`, `MISSING_OWNER`; an {@link UnfinishedError}
 * if a node fails (with `saveOn: "enough"`, if fewer than `threshold` have saved theirs), which holds the shards and
 * whose `resume()` calls the nodes that have none
 */
export async function kavachSaveShards(cid: string, options: SaveShardsOptions): Promise<CompletedNodes> {
  options = checkOptions(options, saveShardsNames);
  cid = checkCid(cid);
  const keyShards = checkFiveShards(options.keyShards);
  const shareTo = options.shareTo === undefined ? [] : checkAddresses(options.shareTo);
  return runOnAllNodes(
    {
      ...resolveSavingRule(options),
      kind: "save",
      cid,
      // Addresses as nodes receive them, so that a later call on one of them is recognised.
      parameters: { ...pickOptions(options, `${saveOnNames},keyShards`), ...(shareTo.length > 0 ? { shareTo } : {}) },
      request: (node, address) => createSaveRequest(node, { address, cid, keyShards, shareTo }),
    },
    options,
  );
}

/** Builds one node's request for saving the shards of a key. */
export function createSaveRequest(
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

/** Returns exactly five well-formed shards, without any other fields; throws `INVALID_SHARDS`. */
export function checkFiveShards(keyShards: unknown): KeyShard[] {
  if (!Array.isArray(keyShards) || keyShards.length !== KEY_NODE_COUNT || !keyShards.every(isObject)) {
    throw invalidShardCount();
  }
  return keyShards.map(checkKeyShard);
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}
