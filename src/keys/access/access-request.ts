import {
  type CheckedAccess,
  checkConditions,
  checkDecryptionType,
  type DecryptionType,
} from "../conditions/check-conditions.ts";
import type { NodeRequest } from "../nodes/node-client.ts";
import type { KeyShard } from "../shards/sharing.ts";

// A module of its own, which the entry does not export: so uploads can load it lazily, only when there are conditions.

type AccessRuleName = "conditions" | "chainType" | "aggregator" | "decryptionType";

/** The fields of a request that determine who may open a file. */
type CheckedAccessFields = Omit<CheckedAccess, "rule"> & { decryptionType: DecryptionType };

/** Checks conditions and how they are evaluated; throws `INVALID_CONDITION`. */
export function checkAccess(options: Record<AccessRuleName, unknown>): CheckedAccessFields {
  const decryptionType = checkDecryptionType(options.decryptionType);
  const { rule: _, ...checked } = checkConditions(options.conditions, options.aggregator, options.chainType);
  return { ...checked, decryptionType };
}

/** Builds one node's request for setting conditions: with its shard for a new file, without one for a known file. */
export function createAccessRequest(
  node: number,
  file: { address: string; cid: string; access: CheckedAccessFields; shard: KeyShard | undefined },
): Omit<NodeRequest, "node"> {
  const { address, cid, access, shard } = file;
  const { conditions, aggregator, decryptionType, chainType } = access;
  const rule = { conditions, aggregator, decryptionType, chainType };
  return {
    method: shard ? "POST" : "PUT",
    path: `/api/fileAccessConditions/${node}`,
    json: { address, cid, ...rule, ...(shard ? { payload: shard } : {}) },
  };
}
