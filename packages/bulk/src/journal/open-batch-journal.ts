import type { JournalUnlock } from "keeplight";
import { type Entries, openEntries } from "keeplight/parts";
import type { Ledger } from "../ledger/types.ts";
import { toRunError } from "../run/classify-error.ts";

/** Opens the journal beside a ledger, or creates it; what this throws ends the run. */
export async function openBatchJournal(ledger: Ledger, unlock: JournalUnlock | undefined): Promise<Entries> {
  try {
    return await openEntries(await ledger.openJournalStore(), unlock);
  } catch (error) {
    throw toRunError(error);
  }
}
