import { KEY_NODE_COUNT } from "../../base/config/limits.ts";
import { KeeplightError } from "../../base/errors/base.ts";
import { type OptionSchema, optional } from "../../base/operation.ts";
import { type Addresses, checkAddresses } from "../../base/validation/address.ts";
import { type OwnerChangeOptions, ownerChangeSchema } from "../auth/owner.ts";
import { type CompletedNodes, defineOwnerCall } from "../nodes/run-on-all-nodes.ts";
import type { FiveShards, KeyShard } from "../shards/schemes.ts";
import { checkKeyShard } from "../shards/schemes.ts";
import { createSaveRequest, resolveSavingRule, type SaveOnOptions, saveOnSchema } from "./save-keys.ts";

/** Options of {@link kavachSaveShards}. */
export type SaveShardsOptions = OwnerChangeOptions &
  SaveOnOptions & {
    /** The five shards of the file's key; node k receives shard k. */
    keyShards: Readonly<FiveShards>;
    /** Address or addresses that may recover the key besides the owner. @default none */
    shareTo?: Addresses | undefined;
  };

const schema = {
  ...ownerChangeSchema,
  ...saveOnSchema,
  keyShards: checkFiveShards,
  shareTo: optional(checkAddresses),
} satisfies OptionSchema<SaveShardsOptions>;

export const kavachSaveShardsOperation = defineOwnerCall("save", schema, (cid, { keyShards, shareTo, ...rule }) => ({
  ...resolveSavingRule(rule),
  request: (node, address) => createSaveRequest(node, { address, cid, shard: keyShards[node - 1], shareTo }),
}));

/**
 * Saves the shards of a file's key on the five key nodes. Saving stops at the first node that fails, unless `saveOn`
 * is `enough`.
 *
 * @throws `INVALID_CID`, `INVALID_SHARDS`, `INVALID_ADDRESS`, `MISSING_OWNER`; an {@link UnfinishedError}
 * if a node fails (with `saveOn: "enough"`, if fewer than `threshold` have saved theirs), which holds the shards and
 * whose `resume()` calls the nodes that have none
 */
export async function kavachSaveShards(cid: string, options: SaveShardsOptions): Promise<CompletedNodes> {
  return kavachSaveShardsOperation.call(cid, options);
}

/** Returns exactly five well-formed shards, without any other fields; throws `INVALID_SHARDS`. */
export function checkFiveShards(keyShards: unknown): KeyShard[] {
  const isObject = (value: unknown) => typeof value === "object" && value !== null;
  const isFive = Array.isArray(keyShards) && keyShards.length === KEY_NODE_COUNT && keyShards.every(isObject);
  if (!isFive) throw new KeeplightError("INVALID_SHARDS", "keyShards must be an array of 5 objects");
  return keyShards.map(checkKeyShard);
}
