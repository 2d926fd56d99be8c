import type { JournalUnlock } from "keeplight";
import { createEntries, type Entries, openJournalKey } from "keeplight/parts";
import type { Ledger } from "../ledger/types.ts";
import { toRunError } from "../run/classify-error.ts";

/** Opens the journal beside a ledger, or creates it; what this throws ends the run. */
export async function openBatchJournal(ledger: Ledger, unlock: JournalUnlock | undefined): Promise<Entries> {
  try {
    const store = await ledger.openJournalStore();
    return createEntries(store, await openJournalKey(store, unlock));
  } catch (error) {
    throw toRunError(error);
  }
}
