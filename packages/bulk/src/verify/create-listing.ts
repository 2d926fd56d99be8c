import { type CallOptions, isKeeplightError } from "keeplight";
import { isKnown } from "keeplight/parts";
import type { LedgerRow } from "../ledger/types.ts";

/**
 * Creates what finds out whether the network still lists a file, or the folder that it was stored in. Each is requested once;
 * what cannot be found out counts as listed.
 */
export function createListing(call: CallOptions, encrypted: boolean): (row: LedgerRow) => Promise<boolean> {
  const requested = new Map<string, Promise<boolean>>();

  async function request(cid: string): Promise<boolean> {
    try {
      return await isKnown(cid, call);
    } catch (error) {
      if (!isKeeplightError(error)) throw error;
      return true;
    }
  }

  return async ({ cid, root }) => {
    const listed = encrypted ? cid : root;
    if (listed === undefined) return true;
    const known = requested.get(listed) ?? request(listed);
    requested.set(listed, known);
    return known;
  };
}
