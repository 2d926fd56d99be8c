import { createEntries, type Entries } from "../journal/entries.ts";
import { getEntries, type JournalLike } from "../journal/handle.ts";
import { openJournalKey } from "../journal/journal-key.ts";
import type { JournalUnlock } from "../journal/slots/slot.ts";
import { fold } from "../payment/machine.ts";
import type { PaymentRecord } from "../payment/run/ongoing-payment.ts";
import type { JournalStore } from "../platform/types.ts";

/**
 * Opens the entries of a journal in any store, or creates the journal. What is in an entry is sealed: the store holds ciphertext
 * only.
 *
 * @param store - `journalStore` for a folder, or one of your own
 * @param unlock - opens the journal. Default: this machine's key
 * @throws `INVALID_OPTION`, `JOURNAL_LOCKED`, `JOURNAL_DAMAGED`, what the store throws
 */
export async function openEntries(store: JournalStore, unlock?: JournalUnlock): Promise<Entries> {
  return createEntries(store, await openJournalKey(store, unlock));
}

/** A payment that a journal has. */
export interface RecordedPayment {
  /** Bytes of storage that it is for, a decimal string; `undefined` if it was made for an amount. */
  size: string | undefined;
  /** Whether anything may have been sent to the chain. */
  hasAttempts: boolean;
}

/**
 * Returns what a journal has of payments.
 *
 * @returns the id of the journal, 32 hex digits, which no other journal has, wherever it is; and what finds the payment that was
 * started with an `orderId`
 * @throws `INVALID_OPTION` for a journal that `openJournal` did not return
 */
export function getPayments(journal: JournalLike): {
  journal: string;
  find(orderId: string): Promise<RecordedPayment | undefined>;
} {
  const entries = getEntries(journal);
  return {
    journal: entries.journal,
    async find(orderId) {
      for (const entry of await entries.list()) {
        const state = "state" in entry ? (entry.state as Partial<PaymentRecord>) : undefined;
        if (state?.orderId !== orderId) continue;
        return { size: state.order?.size, hasAttempts: fold(state.entries ?? []).some(({ end }) => end !== "refused") };
      }
      return undefined;
    },
  };
}
