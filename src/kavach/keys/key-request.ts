import type { ConditionList, DecryptionTypeOption } from "../../access-conditions/chain-types.ts";
import { optional, unchecked } from "../../base/checks.ts";
import type { OptionSchema, Resolved } from "../../base/operation.ts";
import { invalidOption } from "../../errors/input.ts";
import { type Addresses, checkAddresses } from "../../validation/address.ts";
import type { AccessRuleOptions } from "../access/access-request.ts";
import type { NodeRequest } from "../nodes/node-client.ts";
import type { KeyShard } from "../shards/sharing.ts";
import { createSaveRequest } from "./save-request.ts";

/** Who may recover the keys of an encrypted upload besides its owner. */
export type AccessOptions =
  | {
      /** Address or addresses. @default none */
      shareTo?: Addresses | undefined;
      /** Conditions and `shareTo` exclude each other. */
      conditions?: undefined;
    }
  | (ConditionList & {
      /** How the conditions are combined, by their ids: `([1] and [2])`. Required with more than one. @default none */
      aggregator?: string | null | undefined;
      /** `ADDRESS` or `ACCESS_CONDITIONS`. @default `ADDRESS` */
      decryptionType?: DecryptionTypeOption;
      shareTo?: undefined;
    });

/** Checks {@link AccessOptions}, except the conditions: see {@link createKeyRequest}. */
export const accessSchema = {
  shareTo: optional((addresses) => checkAddresses(addresses)),
  conditions: unchecked<ConditionList["conditions"]>(),
  chainType: unchecked<ConditionList["chainType"]>(),
  aggregator: unchecked<string | null>(),
  decryptionType: unchecked<DecryptionTypeOption>(),
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
export async function createKeyRequest(options: AccessOptions | Resolved<typeof accessSchema>): Promise<KeyRequest> {
  if (options.conditions === undefined) {
    const shareTo = options.shareTo === undefined ? [] : checkAddresses(options.shareTo);
    return (node, file) => createSaveRequest(node, { ...file, shareTo: file.shareTo ?? shareTo });
  }
  if (options.shareTo !== undefined) {
    throw invalidOption("shareTo", "nothing beside conditions; kavachShare shares the file afterwards");
  }
  const { createAccessRequest, checkAccess } = await import("../access/access-request.ts");
  const access = checkAccess(options as AccessRuleOptions);
  return (node, { keyShards, ...file }) => createAccessRequest(node, { ...file, access, shard: keyShards[node - 1] });
}
