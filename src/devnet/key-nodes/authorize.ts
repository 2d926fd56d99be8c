import type { RpcOf } from "../conditions/chain-rpc-urls.ts";
import { meetsConditions } from "../conditions/evaluate-access.ts";
import type { Fields } from "../http/json.ts";
import type { Kept } from "./shard-store.ts";

/**
 * Whether a node hands its shard to `address`: to the owner, to those the file is shared with, and to
 * whoever meets the conditions that its owner has set.
 */
export async function mayOpen(
  { owner, sharedTo, access }: Kept,
  address: string,
  dynamicData: Fields,
  rpcOf: RpcOf,
): Promise<boolean> {
  if (owner === address || sharedTo.includes(address)) return true;
  if (access === undefined) return false;
  return meetsConditions(access, address, dynamicData, rpcOf);
}
