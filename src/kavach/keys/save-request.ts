import { oneOf, unchecked } from "../../base/checks.ts";
import type { OptionSchema } from "../../base/operation.ts";
import { DEFAULT_THRESHOLD, KEY_NODE_COUNT } from "../../config/limits.ts";
import { invalidOption } from "../../errors/input.ts";
import { wholeNumber } from "../../validation/number.ts";
import type { NodeRequest } from "../nodes/node-client.ts";
import type { KeyShard } from "../shards/sharing.ts";

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
  /** How many of a key's five shards recover it, 2 to 5. @default 3, which is how many other clients fetch */
  threshold?: number | undefined;
}

/** Checks {@link SaveOnOptions}, except the threshold, which what splits the key has its own limits for. */
export const saveOnSchema = {
  saveOn: oneOf(["all", "enough"], "all"),
  threshold: unchecked<number>(),
} satisfies OptionSchema<SaveOnOptions>;

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
