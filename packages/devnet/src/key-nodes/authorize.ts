import type { FindRpcUrl } from "../conditions/chain-rpc-urls.ts";
import { meetsConditions } from "../conditions/evaluate-access.ts";
import type { Fields } from "../http/json.ts";
import { type Call, readAddress } from "./caller.ts";
import type { StoredShard } from "./shard-store.ts";

/**
 * Returns whether a node releases its shard to `address`: to the owner, to recipients of the file, and to any address
 * that meets the owner's conditions.
 */
export async function isAuthorized(
  { owner, sharedTo, access }: StoredShard,
  address: string,
  dynamicData: Fields,
  findRpcUrl: FindRpcUrl,
): Promise<boolean> {
  if (owner === address || sharedTo.includes(address)) return true;
  if (access === undefined) return false;
  return meetsConditions(access, address, dynamicData, findRpcUrl);
}

/** Whether the caller names the owner of the file, and is their delegate. */
export function isDelegate({ store, address, fields }: Call, { owner }: StoredShard): boolean {
  const { ownerAddress } = fields;
  if (ownerAddress === undefined || readAddress(ownerAddress) !== owner) return false;
  return store.getDelegates(owner).includes(address);
}
