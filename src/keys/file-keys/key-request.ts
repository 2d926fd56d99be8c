import { oneOf, optional, unchecked, wholeNumber } from "../../base/checks.ts";
import { DEFAULT_THRESHOLD, KEY_NODE_COUNT } from "../../base/config/limits.ts";
import { invalidOption } from "../../base/errors/input.ts";
import type { OptionSchema, Resolved } from "../../base/operation.ts";
import { type Addresses, checkAddresses } from "../../base/validation/address.ts";
import type { ConditionList, DecryptionTypeOption } from "../conditions/chain-types.ts";
import type { NodeRequest } from "../nodes/node-client.ts";
import type { KeyShard } from "../shards/sharing.ts";

/** Access conditions and how they are evaluated. */
export type AccessRuleOptions = ConditionList & {
  /**
   * How the conditions are combined, by their ids: `([1] and [2])`, `([1] or [2])`, `!([1] and [2])`, and so on. `!`
   * binds tighter than `and`, `and` tighter than `or`. Required with more than one condition.
   *
   * @default none
   */
  aggregator?: string | null | undefined;
  /** `ADDRESS` or `ACCESS_CONDITIONS`. @default `ADDRESS` */
  decryptionType?: DecryptionTypeOption;
};

/** Takes {@link AccessRuleOptions}: what sends them checks them together. */
export const accessRuleSchema = {
  conditions: unchecked(),
  chainType: unchecked(),
  aggregator: unchecked(),
  decryptionType: unchecked(),
} satisfies OptionSchema<AccessRuleOptions>;

/** Who may recover the keys of an encrypted upload besides its owner. */
export type AccessOptions =
  | {
      /** Address or addresses that may recover the keys besides the owner. @default none */
      shareTo?: Addresses | undefined;
      /** Conditions and `shareTo` exclude each other. */
      conditions?: undefined;
    }
  | (AccessRuleOptions & { shareTo?: undefined });

/** Checks {@link AccessOptions}, but not conditions: {@link createKeyRequest} does. */
export const accessSchema = {
  ...accessRuleSchema,
  shareTo: optional(checkAddresses),
} satisfies OptionSchema<AccessOptions>;

/** Builds the request that saves one file's shard on one node. */
export type KeyRequest = (
  node: number,
  file: { address: string; cid: string; keyShards: readonly KeyShard[]; shareTo?: readonly string[] | undefined },
) => Omit<NodeRequest, "node">;

/**
 * Selects how the keys are saved: shared to addresses, or under conditions. The rules about conditions are loaded
 * only if there are some.
 *
 * @throws `INVALID_ADDRESS`, `INVALID_CONDITION`, `INVALID_OPTION`
 */
export async function createKeyRequest(options: Resolved<typeof accessSchema>): Promise<KeyRequest> {
  if (options.conditions === undefined) {
    const { shareTo = [] } = options;
    return (node, file) => createSaveRequest(node, { ...file, shareTo: file.shareTo ?? shareTo });
  }
  if (options.shareTo !== undefined) {
    throw invalidOption("shareTo", "nothing beside conditions; kavachShare shares the file afterwards");
  }
  const { createAccessRequest, checkAccess } = await import("../access/access-request.ts");
  const access = checkAccess(options);
  return (node, { keyShards, ...file }) => createAccessRequest(node, { ...file, access, shard: keyShards[node - 1] });
}

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

/** Checks {@link SaveOnOptions}; the threshold is that of other calls, too, and {@link resolveSavingRule} checks it. */
export const saveOnSchema = {
  saveOn: oneOf(["all", "enough"], "all"),
  threshold: unchecked<number>(),
} satisfies OptionSchema<SaveOnOptions>;

/** {@link SaveOnOptions} as rules for calling the nodes. */
export interface SavingRule {
  afterFailure: "stop" | "continue";
  /** How many nodes make a success. */
  enough: number;
}

const checkThreshold = wholeNumber(DEFAULT_THRESHOLD, 2, KEY_NODE_COUNT);

/** Throws `INVALID_OPTION` for a threshold that no key has. */
export function resolveSavingRule({ saveOn, threshold }: Resolved<typeof saveOnSchema>): SavingRule {
  if (saveOn === "all") return { afterFailure: "stop", enough: KEY_NODE_COUNT };
  return { afterFailure: "continue", enough: checkThreshold(threshold, "threshold") };
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
