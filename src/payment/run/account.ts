import { queued } from "../../async/queue.ts";
import type { JournalEntry } from "../../journal/entries.ts";
import { getEntries, type JournalLike } from "../../journal/handle.ts";
import { ACCOUNT_KIND } from "../../journal/payment-kinds.ts";
import { openWhenFree } from "./payment-record.ts";

/** How many transactions a journal remembers of an account: more than are open at a time. */
const MAX_REMEMBERED = 1_000;

/** What a journal keeps of an account on a chain: which transaction was made by which attempt. */
interface AccountState {
  /** Pairs of hash and attempt, oldest first. */
  owners: readonly (readonly [hash: string, attempt: string])[];
}

/**
 * Which attempt of this process, or of this journal, owns a transaction. Global on purpose: payments of the same amount
 * have the same effect, and one must not be taken for the other, whichever kit made them.
 */
const owners = new Map<string, string>();

/** Records in this process that the transaction with this hash was made by this attempt, unless it is another's. */
export function claimHash(hash: string, attempt: string): void {
  if (!owners.has(hash)) owners.set(hash, attempt);
}

/** Whether the hash is known to belong to another attempt. */
export function isClaimedByOther(hash: string, attempt: string): boolean {
  return (owners.get(hash) ?? attempt) !== attempt;
}

/** An account that this run alone uses. */
export interface Account {
  /** Records that the transaction with this hash was made by this attempt; durable, if there is a journal. */
  claim(hash: string, attempt: string): Promise<void>;
}

/**
 * Runs `work` while no other payment of the account runs in this process, nor in another one that uses the journal:
 * concurrently they would take each other's nonce, allowance and transactions.
 *
 * @param key - names chain and address
 */
export function withAccount<T>(
  key: string,
  journal: JournalLike | undefined,
  signal: AbortSignal | undefined,
  work: (account: Account) => Promise<T>,
): Promise<T> {
  return queued(key, signal, async () => {
    if (!journal) return work({ claim: async (hash, attempt) => claimHash(hash, attempt) });
    const initial: AccountState = { owners: [] };
    const entry = await openWhenFree(getEntries(journal), ACCOUNT_KIND, key, initial, signal);
    // Counts more than what only this process knows.
    for (const [hash, attempt] of entry.state.owners) owners.set(hash, attempt);
    try {
      return await work({ claim: (hash, attempt) => claimInJournal(entry, hash, attempt) });
    } finally {
      await entry.release();
    }
  });
}

async function claimInJournal(entry: JournalEntry<AccountState>, hash: string, attempt: string): Promise<void> {
  claimHash(hash, attempt);
  const { owners: known } = entry.state;
  if (known.some(([other]) => other === hash)) return;
  await entry.update({ owners: [...known, [hash, attempt] as const].slice(-MAX_REMEMBERED) });
}
