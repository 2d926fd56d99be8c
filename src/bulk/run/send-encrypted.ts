import { isKeeplightError } from "../../errors/base.ts";
import type { JournalEntries } from "../../journal/entries.ts";
import type { JournalUnlock } from "../../journal/slots/slot-options.ts";
import type { UploadEncryptedOptions } from "../../transfer/upload/encrypted-upload-options.ts";
import { BATCH_KIND, type JournaledBatch, openBatchEntry } from "../journal/batch-entry.ts";
import { openBatchJournal } from "../journal/open-batch-journal.ts";
import type { Ledger, LedgerRow } from "../ledger/types.ts";
import { createBatchUpload } from "./batch-upload.ts";
import type { Sender } from "./run-batch.ts";

/**
 * Creates what encrypts and sends batches. Each batch has an entry in the journal beside the ledger, under its own name: the
 * keys of its files are in it, sealed, before anything is sent, and until the ledger has that they are on the key nodes. Files
 * whose keys are in a damaged entry are set aside, and do not stop the others.
 */
export function createEncryptedSender(
  ledger: Ledger,
  upload: UploadEncryptedOptions,
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
    await discardDone(journal, ledger);
    return journal;
  }

  return {
    async open() {
      await openJournal();
    },
    async startBatch({ plan, batch }, rows) {
      const journal = await openJournal();
      const opened = await openBatchEntry(journal, { plan: plan.id, batch }, rows);
      const discard = (id: string) => discardEntry(journal, id);
      return createBatchUpload({ ...opened, discard }, plan.oneKeyPerBatch === true, upload);
    },
  };
}

/** Discards entries of batches that are done: their process ended after the ledger had it, and before they were removed. */
async function discardDone(journal: JournalEntries, ledger: Ledger): Promise<void> {
  for (const record of await journal.list()) {
    if ("error" in record || record.kind !== BATCH_KIND) continue;
    const { plan, batch } = record.state as JournaledBatch;
    // Nobody starts the batch again meanwhile, whose new keys would be in the entry.
    const ownership = await ledger.own(plan, batch);
    try {
      const rows = ownership ? await ledger.read(plan, batch) : [];
      if (rows.length > 0 && rows.every(isKeyless)) await discardEntry(journal, record.id);
    } finally {
      await ownership?.release();
    }
  }
}

/** Discards an entry, unless its owner has just done that. */
async function discardEntry(journal: JournalEntries, id: string): Promise<void> {
  await journal.discard(id).catch((error) => {
    if (!isKeeplightError(error, "JOURNAL_ENTRY_BUSY") && !isKeeplightError(error, "JOURNAL_ENTRY_UNKNOWN"))
      throw error;
  });
}

/** Whether a file needs no key of the journal any more, even if it is retried: it is done, or was set aside before it was sent. */
function isKeyless({ status, problem }: LedgerRow): boolean {
  return status === "saved" || status === "verified" || (status === "found" && problem !== undefined);
}
