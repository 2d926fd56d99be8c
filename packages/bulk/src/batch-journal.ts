import { isKeeplightError, type JournalUnlock } from "keeplight";
import { type Entries, type Entry, isStoredAs, openEntries, type UploadState } from "keeplight/parts";
import type { Ledger, LedgerRow } from "./ledger/ledger.ts";
import { toRunError } from "./run/classify-error.ts";

/** Opens the journal beside a ledger, or creates it; what this throws ends the run. */
export async function openBatchJournal(ledger: Ledger, unlock: JournalUnlock | undefined): Promise<Entries> {
  try {
    return await openEntries(await ledger.openJournalStore(), unlock);
  } catch (error) {
    throw toRunError(error);
  }
}

export interface BatchState extends UploadState {
  /** Id of the plan. */
  plan: string;
  batch: number;
}

/** The kind of a journal's entries of batches. They are not resumed like uploads: the ledger has to know of their files. */
export const BATCH_KIND = "bulk-batch";

export type BatchEntry = Awaited<ReturnType<typeof openBatchEntry>>;

/**
 * Opens the entry of a batch. A damaged one stays as it is, in case it is put back from a copy: what is sent from then on has
 * its keys in another one.
 *
 * @param rows - of the batch: of several entries, the last one is continued under whose keys files were sent that are not done
 * @returns the entry that the batch is continued with; the ids of its `damaged` entries; whether it has others, damaged or not:
 * keys that this one does not have may be there
 * @throws what `Entries.open` throws, but not for a damaged entry
 */
export async function openBatchEntry(journal: Entries, plan: string, batch: number, rows: readonly LedgerRow[]) {
  const needed = rows.filter((row) => isSent(row) && !row.problem);
  const damaged: string[] = [];
  const opened: Entry<BatchState>[] = [];
  for (let number = 0; ; number++) {
    const name = number === 0 ? `${plan} ${batch}` : `${plan} ${batch} ${number}`;
    const empty: BatchState = { owner: "", options: {}, files: [], plan, batch };
    const entry = await journal.open(BATCH_KIND, name, empty).catch(async (error: unknown) => {
      if (isKeeplightError(error, "JOURNAL_DAMAGED")) return error.details.what;
      await Promise.all(opened.map((each) => each.release()));
      throw error;
    });
    if (typeof entry === "string") {
      damaged.push(entry);
      continue;
    }
    opened.push(entry);
    // The first one may have been removed by hand.
    if (isNew(entry) && (number > 0 || needed.length === 0)) break;
  }
  const existing = opened.filter((each) => !isNew(each));
  const entry = existing.findLast((each) => needed.some((row) => wasSentBy(each, row))) ?? existing.at(-1) ?? opened[0];
  if (!entry) throw new Error("A batch has an entry at last");
  const others = opened.filter((each) => each !== entry);
  const hasOthers = damaged.length > 0 || others.some((each) => !isNew(each));
  await Promise.all(others.map((each) => (isNew(each) ? each.complete() : each.release())));
  return { entry, damaged, hasOthers };
}

/** Whether a file may be on the network, and its key nowhere but in the journal. */
export function isSent({ status }: LedgerRow): boolean {
  return status === "sent" || status === "stored";
}

const isNew = ({ state }: Entry<BatchState>) => state.files.length === 0;

function wasSentBy({ state }: Entry<BatchState>, row: LedgerRow): boolean {
  const file = state.files.find(({ path }) => path === row.path);
  return file !== undefined && file.attempts.length > 0 && (row.cid === undefined || isStoredAs(file, row.cid));
}
