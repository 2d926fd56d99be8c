import { checkChoice, checkConditions, type DecryptionType } from "../conditions/check-conditions.ts";
import type { NodeRequest } from "../nodes/node-client.ts";
import type { KeyShard } from "../shards/schemes.ts";

// A module of its own, which the entry does not export: so uploads can load it lazily, only when there are conditions.

type AccessRuleName = "conditions" | "chainType" | "aggregator" | "decryptionType";

/** Checks conditions and how they are evaluated; throws `INVALID_CONDITION`. */
export function checkAccess(options: Record<AccessRuleName, unknown>) {
  const types = ["ADDRESS", "ACCESS_CONDITIONS"] as const;
  const decryptionType = checkChoice<DecryptionType>("decryptionType", types, options.decryptionType);
  const checked = checkConditions(options.conditions, options.aggregator, options.chainType);
  const { conditions, aggregator, chainType } = checked;
  return { conditions, aggregator, decryptionType, chainType };
}

/** Builds one node's request for setting conditions: with its shard for a new file, without one for a known file. */
export function createAccessRequest(
  node: number,
  file: { address: string; cid: string; access: ReturnType<typeof checkAccess>; shard: KeyShard | undefined },
): Omit<NodeRequest, "node"> {
  const { address, cid, access, shard: payload } = file;
  const path = `/api/fileAccessConditions/${node}`;
  return { method: payload ? "POST" : "PUT", path, json: { address, cid, ...access, payload } };
}
