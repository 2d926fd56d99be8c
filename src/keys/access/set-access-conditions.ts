import type { OptionSchema } from "../../base/operation.ts";
import { type OwnerChangeOptions, ownerChangeSchema } from "../auth/owner.ts";
import { type AccessRuleOptions, accessRuleSchema } from "../file-keys/save-keys.ts";
import { checkFiveShards } from "../file-keys/save-shards.ts";
import { type CompletedNodes, defineOwnerCall } from "../nodes/run-on-all-nodes.ts";
import type { FiveShards, KeyShard } from "../shards/schemes.ts";
import { checkAccess, createAccessRequest } from "./access-request.ts";

/** Options of {@link kavachSetAccessConditions}. */
export type SetAccessConditionsOptions = OwnerChangeOptions &
  AccessRuleOptions & {
    /** The five shards of the key of a file that has none saved yet; node k receives shard k. @default none */
    keyShards?: Readonly<FiveShards> | readonly [] | undefined;
  };

const schema = {
  ...ownerChangeSchema,
  ...accessRuleSchema,
  keyShards: checkShards,
} satisfies OptionSchema<SetAccessConditionsOptions>;

export const kavachSetAccessConditionsOperation = defineOwnerCall("conditions", schema, (cid, options) => {
  const { keyShards } = options;
  const access = checkAccess(options);
  return {
    request: (node, address) => createAccessRequest(node, { address, cid, access, shard: keyShards?.[node - 1] }),
    afterFailure: keyShards ? "stop" : "continue",
  };
});

/**
 * Sets the conditions under which others may recover the key of an encrypted file: with its `keyShards`
 * for a new file, without them to replace the conditions of a file whose shards are saved. Case-insensitive values are
 * sent in the case that their types have.
 *
 * @throws `INVALID_CID`, `INVALID_SHARDS` 'keyShards must be an array of 5 objects', `INVALID_CONDITION`
 * 'Condition validation error: …' with `details.problems`, `MISSING_OWNER`; an {@link UnfinishedError} if a
 * node fails, whose `details.nodesDone` and `details.failures` list the nodes and whose `resume()` calls those that
 * are not done. The nodes after a failed one are called as well, unless there are shards to save.
 *
 * @example
 * await kavachSetAccessConditions(cid, {
 *   signer,
 *   conditions: [
 *     {
 *       id: 1,
 *       chain: "Polygon",
 *       standardContractType: "ERC721",
 *       contractAddress: "0x1a7e9b3c5d7f9b1c3e5a7c9e1b3d5f7a9c1e3b5d",
 *       method: "balanceOf",
 *       parameters: [":userAddress"],
 *       returnValueTest: { comparator: ">=", value: 1 },
 *     },
 *   ],
 * });
 */
export async function kavachSetAccessConditions(
  cid: string,
  options: SetAccessConditionsOptions,
): Promise<CompletedNodes> {
  return kavachSetAccessConditionsOperation.call(cid, options);
}

/** Returns five well-formed shards, or undefined if there are none; throws `INVALID_SHARDS`. */
function checkShards(keyShards: unknown): KeyShard[] | undefined {
  const isEmpty = keyShards === undefined || (Array.isArray(keyShards) && keyShards.length === 0);
  return isEmpty ? undefined : checkFiveShards(keyShards);
}
