import { queued } from "../../base/async/queue.ts";
import { shared } from "../../base/shared.ts";
import type { Entry } from "../../journal/entries.ts";
import type { JournalLike } from "../../journal/handle.ts";
import { ACCOUNT_KIND } from "../../journal/operations.ts";
import { openWhenFree } from "./payment-record.ts";

/** How many transactions a journal remembers of an account. */
const MAX_REMEMBERED = 1_000;

/** What a journal keeps of an account on a chain: which transaction was made by which attempt. */
interface AccountState {
  /** Oldest first; with the block at which the attempt was made. */
  owners: readonly (readonly [hash: string, attempt: string, fromBlock: number])[];
  /** The latest block at which an attempt was made whose transaction is not remembered. */
  forgotten?: number | undefined;
}

/** An account that this run alone uses. */
export interface Account {
  /** Records that the transaction with this hash was made by this attempt; durable, if there is a journal. */
  claim(hash: string, owner: Owner): Promise<void>;
}

/** Records in this process that the transaction with this hash was made by this attempt, unless it is another's. */
export function claimHash(hash: string, owner: Owner): void {
  if (findOwner(hash) === undefined) setOwner(hash, owner);
}

/**
 * Runs `work` while no other payment of the account runs in this process, nor in another one that uses the journal:
 * concurrently they would take each other's nonce, allowance and transactions.
 */
export function withAccount<T>(
  { chainId, address }: { chainId: number; address: string },
  journal: JournalLike | undefined,
  signal: AbortSignal | undefined,
  work: (account: Account) => Promise<T>,
): Promise<T> {
  const key = `${chainId} ${address}`;
  return queued(key, signal, async () => {
    if (!journal) return work({ claim: async (hash, owner) => claimHash(hash, owner) });
    const initial: AccountState = { owners: [] };
    const entry = await openWhenFree(journal, ACCOUNT_KIND, key, initial, signal);
    const { owners, forgotten } = entry.state;
    // Counts more than what only this process knows.
    for (const [hash, attempt, fromBlock] of owners) setOwner(hash, { chainId, attempt, fromBlock });
    if (forgotten !== undefined) forgetUntil(chainId, forgotten);
    try {
      return await work({ claim: (hash, owner) => claimInJournal(entry, hash, owner) });
    } finally {
      await entry.release();
    }
  });
}

async function claimInJournal(entry: Entry<AccountState>, hash: string, owner: Owner): Promise<void> {
  claimHash(hash, owner);
  const { owners, forgotten = 0 } = entry.state;
  if (owners.some(([other]) => other === hash)) return;
  const all = [...owners, [hash, owner.attempt, owner.fromBlock] as const];
  const dropped = all.slice(0, -MAX_REMEMBERED).map(([, , fromBlock]) => fromBlock);
  const change = dropped.length > 0 ? { forgotten: Math.max(forgotten, ...dropped) } : {};
  await entry.update({ owners: all.slice(-MAX_REMEMBERED), ...change });
}

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

function forgetUntil(chainId: number, block: number): void {
  forgotten.set(chainId, Math.max(block, forgotten.get(chainId) ?? 0));
}

/**
 * Whether an attempt that was made at this block may come across transactions of later attempts that are not remembered.
 */
export function mayHaveForgotten(chainId: number, fromBlock: number): boolean {
  return fromBlock <= (forgotten.get(chainId) ?? -1);
}
