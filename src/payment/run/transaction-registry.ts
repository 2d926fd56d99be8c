import type { SentTransaction } from "./context.ts";

/** Which payment of this process a transaction on the chain belongs to, by its hash. */
const owners = new Map<string, symbol>();

/** Notes that a transaction on the chain is this one. */
export function claimHash({ id }: Pick<SentTransaction, "id">, hash: string): void {
  owners.set(hash, id);
}

/**
 * Whether a transaction on the chain is known to be another one than this. Two payments of the same amount cannot be
 * told apart by what they do, and one must not pass for the other.
 */
export function isClaimedByOther({ id }: Pick<SentTransaction, "id">, hash: string): boolean {
  return (owners.get(hash) ?? id) !== id;
}
