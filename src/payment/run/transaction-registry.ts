import type { SentTransaction } from "./context.ts";

/**
 * Which transaction of this process owns a hash on the chain. Global on purpose: payments of one account in one process
 * must not claim each other's transactions, whichever kit made them.
 */
const owners = new Map<string, symbol>();

/** Records that the transaction with this hash is this one. */
export function claimHash({ id }: Pick<SentTransaction, "id">, hash: string): void {
  owners.set(hash, id);
}

/**
 * Whether the hash is known to belong to another transaction. Two payments of the same amount have the same effect, and
 * one must not be taken for the other.
 */
export function isClaimedByOther({ id }: Pick<SentTransaction, "id">, hash: string): boolean {
  return (owners.get(hash) ?? id) !== id;
}
