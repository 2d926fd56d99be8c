import type { JournalUnlock } from "../../journal/slots/slot-options.ts";
import type { UploadEncryptedOptions } from "../../transfer/upload/encrypted-upload-options.ts";
import type { JournaledUpload } from "../../transfer/upload/journaled-upload.ts";
import { openBatchJournal } from "../journal/open-batch-journal.ts";
import type { Ledger } from "../ledger/types.ts";
import { createBatchUpload } from "./batch-upload.ts";
import type { Sender } from "./run-batch.ts";

/** The kind of a journal's entries of batches. They are not resumed like uploads: the ledger has to know of their files. */
const BATCH_KIND = "bulk-batch";

/**
 * Creates what encrypts and sends batches. Each batch has an entry in the journal beside the ledger, under its own name: the
 * keys of its files are in it, sealed, before anything is sent, and until the ledger has that they are on the key nodes.
 */
export function createEncryptedSender(
  ledger: Ledger,
  upload: UploadEncryptedOptions,
  unlock: JournalUnlock | undefined,
): Sender {
  let opening: ReturnType<typeof openBatchJournal> | undefined;

  function openJournal(): ReturnType<typeof openBatchJournal> {
    opening ??= openBatchJournal(ledger, unlock).catch((error) => {
      opening = undefined;
      throw error;
    });
    return opening;
  }

  return {
    async startBatch({ plan, batch }) {
      const empty: JournaledUpload = { owner: "", options: {}, files: [] };
      const entry = await (await openJournal()).open(BATCH_KIND, `${plan.id} ${batch}`, empty);
      return createBatchUpload(entry, plan.oneKeyPerBatch === true, upload);
    },
  };
}
