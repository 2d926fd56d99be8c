import { shared } from "../../base/shared.ts";

/** An attempt that made a transaction. */
export interface Owner {
  chainId: number;
  /** The latest block when the attempt was made. */
  fromBlock: number;
  /** The attempt's id. */
  attempt: string;
}

/** How many transactions are remembered: more than any payment that is open meanwhile could be confused with. */
const MAX_OWNERS = 10_000;

/**
 * Which attempt of this process, or of its journals, owns a transaction; the oldest first. Global on purpose: payments of
 * the same amount have the same effect, and one must not be taken for the other, whichever kit made them.
 */
const owners = shared("transaction owners", () => new Map<string, Owner>());

/** By chain, the latest block at which an attempt was made whose transaction is no longer remembered. */
const forgotten = shared("forgotten owners", () => new Map<number, number>());

/** The attempt that owns the transaction with this hash, if it is remembered. */
export function findOwner(hash: string): string | undefined {
  return owners.get(hash)?.attempt;
}

/** Remembers the owner of a transaction, and forgets that of the oldest one if there are too many. */
export function setOwner(hash: string, owner: Owner): void {
  owners.set(hash, owner);
  if (owners.size <= MAX_OWNERS) return;
  const [oldest] = owners;
  if (!oldest) return;
  owners.delete(oldest[0]);
  forgetUntil(oldest[1].chainId, oldest[1].fromBlock);
}

/** Records that transactions of attempts that were made up to this block are not remembered. */
export function forgetUntil(chainId: number, block: number): void {
  forgotten.set(chainId, Math.max(block, forgotten.get(chainId) ?? 0));
}

/**
 * Whether an attempt that was made at this block may come across transactions of later attempts that are not remembered.
 */
export function mayHaveForgotten(chainId: number, fromBlock: number): boolean {
  return fromBlock <= (forgotten.get(chainId) ?? -1);
}
