import { isKeeplightError, type JournalUnlock } from "keeplight";
import type { Entries } from "keeplight/parts";
import { BATCH_KIND, type BatchState, openBatchEntry } from "../journal/batch-entry.ts";
import { openBatchJournal } from "../journal/open-batch-journal.ts";
import type { Ledger, LedgerRow } from "../ledger/types.ts";
import { createBatchUpload } from "./batch-upload.ts";
import type { Sender } from "./run-batch.ts";
import type { ResolvedUpload } from "./upload-options.ts";

/**
 * Creates what encrypts and sends batches. Each batch has an entry in the journal beside the ledger, under its own name: the
 * keys of its files are in it, sealed, before anything is sent, and until the ledger has that they are on the key nodes. Files
 * whose keys are in a damaged entry are set aside, and do not stop the others.
 */
export function createEncryptedSender(
  ledger: Ledger,
  upload: ResolvedUpload,
  unlock: JournalUnlock | undefined,
): Sender {
  let opening: ReturnType<typeof openBatchJournal> | undefined;

  function openJournal(): ReturnType<typeof openBatchJournal> {
    opening ??= openSwept().catch((error) => {
      opening = undefined;
      throw error;
    });
    return opening;
  }

  async function openSwept() {
    const journal = await openBatchJournal(ledger, unlock);
    await eraseDone(journal, ledger);
    return journal;
  }

  return {
    async open() {
      await openJournal();
    },
    async startBatch({ plan, batch }, rows) {
      const journal = await openJournal();
      const opened = await openBatchEntry(journal, { plan: plan.id, batch }, rows);
      return createBatchUpload({ ...opened, discard: journal.discard }, plan.oneKeyPerBatch === true, upload);
    },
  };
}

/** Erases entries of batches that are done: their process ended after the ledger had it, and before they were removed. */
async function eraseDone(journal: Entries, ledger: Ledger): Promise<void> {
  for (const record of await journal.list()) {
    if ("error" in record || record.kind !== BATCH_KIND) continue;
    const { plan, batch } = record.state as BatchState;
    const ownership = await ledger.own(plan, batch);
    if (!ownership) continue;
    try {
      // Read before the rows: what another process writes into it later is not erased.
      const entry = await journal.acquire(record.id).catch(ignoreTaken);
      if (!entry) continue;
      try {
        const rows = await ledger.read(plan, batch);
        if (rows.length > 0 && rows.every(isKeyless)) await entry.erase();
      } finally {
        await entry.release();
      }
    } finally {
      await ownership.release();
    }
  }
}

/** An entry that another process uses, or has just removed. */
function ignoreTaken(error: unknown): undefined {
  if (!isKeeplightError(error, "JOURNAL_ENTRY_BUSY") && !isKeeplightError(error, "JOURNAL_ENTRY_UNKNOWN")) throw error;
}

/** Whether a file needs no key of the journal any more, even if it is retried: it is done, or was set aside before it was sent. */
function isKeyless({ status, problem }: LedgerRow): boolean {
  return status === "saved" || status === "verified" || (status === "found" && problem !== undefined);
}
