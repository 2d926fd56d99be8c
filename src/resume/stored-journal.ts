import { journalStore } from "#platform";
import { isKeeplightError } from "../errors/base.ts";
import { journalDamaged } from "../errors/journal.ts";
import { createSlots } from "../journal/change-slots.ts";
import { createEntries, type JournalEntries, type JournalEntry, type OpenRecord } from "../journal/entries.ts";
import { registerJournal } from "../journal/handle.ts";
import { openJournalKey } from "../journal/journal-key.ts";
import { isCallKind, type JournaledCall } from "../kavach/nodes/kept-call.ts";
import { type JournaledUpload, runJournaled, settleResumed, UPLOAD_KIND } from "../transfer/upload/journaled-upload.ts";
import { registerUploadRecorder } from "../transfer/upload/upload-record.ts";
import { checkOptions } from "../validation/check-options.ts";
import { continueCall } from "./continue-call.ts";
import { continueUpload } from "./continue-upload.ts";
import type { FailedOperation, Journal, OpenJournalOptions, OpenOperation, ResumedOperation } from "./journal.ts";
import { type ResumeOperationOptions, resumeOperationNames } from "./resume-options.ts";

/** Opens the journal at a place, with all that records and resumes operations. */
export async function openStored(options: OpenJournalOptions): Promise<Journal> {
  const store = await journalStore(options);
  const key = await openJournalKey(store, options.unlock);
  const entries = createEntries(store, key);
  const slots = createSlots(store, key);
  const journal: Journal = {
    place: store.place,
    list: async () => (await entries.list()).map(toOpenOperation),
    async resume(id, changed) {
      changed = checkOptions(changed, resumeOperationNames);
      return resumeEntry(journal, await entries.acquire(id), changed);
    },
    resumeAll: (changed) => resumeAll(journal, entries, changed),
    discard: entries.discard,
    slots: slots.list,
    addSlot: slots.add,
    removeSlot: slots.remove,
  };
  registerJournal(journal, entries);
  registerUploadRecorder(journal, (upload, work) => runJournaled(journal, upload, work));
  return Object.freeze(journal);
}

async function resumeEntry(
  journal: Journal,
  entry: JournalEntry,
  options: ResumeOperationOptions,
): Promise<ResumedOperation> {
  const { id, kind } = entry;
  return settleResumed(entry, async () => {
    if (isCallKind(kind)) {
      const result = await continueCall(journal, kind, entry as JournalEntry<JournaledCall>, options);
      return { id, kind, result } as ResumedOperation;
    }
    if (kind !== UPLOAD_KIND) throw journalDamaged(`${id}, or written by a later version of this package`);
    const result = await continueUpload(journal, entry as JournalEntry<JournaledUpload>, options);
    return { id, kind: UPLOAD_KIND, result };
  });
}

async function resumeAll(
  journal: Journal,
  entries: JournalEntries,
  options: ResumeOperationOptions,
): Promise<(ResumedOperation | FailedOperation)[]> {
  checkOptions(options, resumeOperationNames);
  const reports: (ResumedOperation | FailedOperation)[] = [];
  for (const { id } of await entries.list()) {
    try {
      reports.push(await journal.resume(id, options));
    } catch (error) {
      // Another process has completed it meanwhile.
      if (!isKeeplightError(error, "JOURNAL_ENTRY_UNKNOWN")) reports.push({ id, error });
    }
  }
  return reports;
}

function toOpenOperation(open: OpenRecord | { id: string; error: unknown }): OpenOperation {
  const { id } = open;
  if ("error" in open) {
    return { id, kind: "unreadable", names: [], sizes: [], cids: [], nodesDone: [], startedAt: 0, updatedAt: 0 };
  }
  const { kind, startedAt, updatedAt } = open;
  if (isCallKind(kind)) {
    const { cid, nodesDone } = open.state as JournaledCall;
    return { id, kind, names: [], sizes: [], cids: [cid], nodesDone: [...nodesDone].sort(), startedAt, updatedAt };
  }
  const { files } = open.state as JournaledUpload;
  const [first, ...others] = files.map(({ nodesDone }) => nodesDone);
  return {
    id,
    kind: UPLOAD_KIND,
    names: files.map(({ name }) => name),
    sizes: files.map(({ size }) => size),
    cids: files.flatMap(({ stored }) => stored?.Hash ?? []),
    nodesDone: (first ?? []).filter((node) => others.every((nodes) => nodes.includes(node))),
    startedAt,
    updatedAt,
  };
}
