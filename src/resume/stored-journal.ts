import { journalStore, partialFiles } from "#platform";
import { isKeeplightError } from "../errors/base.ts";
import { invalidOption } from "../errors/input.ts";
import { journalDamaged } from "../errors/journal.ts";
import { isUnfinished, UnfinishedError } from "../errors/unfinished.ts";
import { createSlots } from "../journal/change-slots.ts";
import { createEntries, type JournalEntries, type JournalEntry, type OpenRecord } from "../journal/entries.ts";
import { getEntries, registerJournal } from "../journal/handle.ts";
import { openJournalKey } from "../journal/journal-key.ts";
import { getOrderId, isMemory, PAYMENT_KIND } from "../journal/payment-kinds.ts";
import { QUEUE_KIND, type QueuedBatch, registerQueue } from "../journal/queue.ts";
import type { OwnerOptions } from "../kavach/auth/owner.ts";
import { isCallKind, type JournaledCall } from "../kavach/nodes/kept-call.ts";
import { UPLOAD_KIND } from "../kavach/nodes/kept-upload.ts";
import { mergeResumeOptions } from "../kavach/nodes/merge-options.ts";
import type { KeyNodeOptions } from "../kavach/nodes/node-client.ts";
import { registerDownloadRecorder } from "../transfer/download/download-record.ts";
import { runJournaledDownload } from "../transfer/download/journaled-download.ts";
import { isDownloadKind, type JournaledDownload } from "../transfer/download/kept-download.ts";
import { settleResumed, type UploadState } from "../transfer/upload/journal-entry.ts";
import type { UploadedFiles } from "../transfer/upload/upload-response.ts";
import { checkOptions } from "../validation/check-options.ts";
import { continueCall } from "./continue-call.ts";
import { continueDownload, type Downloads } from "./continue-download.ts";
import { continueUpload } from "./continue-upload.ts";
import type { FailedOperation, Journal, OpenJournalOptions, OpenOperation, ResumedOperation } from "./journal.ts";
import { createQueue, findQueued, removeCopies } from "./queued-uploads.ts";
import { type ResumeOperationOptions, resumeOperationNames } from "./resume-options.ts";

/** Opens the journal at a place, with all that records and resumes operations. `downloads` are the calls that download. */
export async function openStored(options: OpenJournalOptions, downloads: Downloads): Promise<Journal> {
  const store = await journalStore(options);
  const key = await openJournalKey(store, options.unlock);
  const entries = createEntries(store, key);
  const slots = createSlots(store, key);
  const journal: Journal = {
    place: store.place,
    list: () => listOpen(entries),
    async resume(id, changed) {
      changed = checkOptions(changed, resumeOperationNames);
      return resumeEntry(journal, downloads, await entries.acquire(id), changed);
    },
    resumeAll: (changed) => resumeAll(journal, entries, changed),
    discard: (id) => discardEntry(entries, id),
    slots: slots.list,
    addSlot: slots.add,
    removeSlot: slots.remove,
  };
  registerJournal(journal, entries);
  registerQueue(journal, createQueue(journal, entries));
  registerDownloadRecorder(journal, runJournaledDownload);
  return Object.freeze(journal);
}

async function resumeEntry(
  journal: Journal,
  downloads: Downloads,
  entry: JournalEntry,
  options: ResumeOperationOptions,
): Promise<ResumedOperation> {
  const { id, kind } = entry;
  return settleResumed(entry, async () => {
    await removeCopies(getEntries(journal), entry);
    if (isCallKind(kind)) {
      const result = await continueCall(journal, kind, entry as JournalEntry<JournaledCall>, options);
      return { id, kind, result } as ResumedOperation;
    }
    if (isDownloadKind(kind)) {
      const result = await continueDownload(
        downloads,
        journal,
        kind,
        entry as JournalEntry<JournaledDownload>,
        options,
      );
      return { id, kind, result };
    }
    if (kind === PAYMENT_KIND) {
      throw invalidOption("id", "an operation other than a payment, which resumePayments continues");
    }
    if (kind === QUEUE_KIND) throw invalidOption("id", "an operation that was started");
    if (kind !== UPLOAD_KIND) throw journalDamaged(`${id}, or written by a later version of this package`);
    const upload = entry as JournalEntry<UploadState>;
    try {
      return { id, kind: UPLOAD_KIND, result: await continueUpload(journal, upload, options) };
    } catch (error) {
      throw upload.state.folder === undefined ? error : resumeAsWhole(journal, id, error, options);
    }
  });
}

/** Returns the error of a step of a folder's upload with a `resume` that does all the other steps, too. */
function resumeAsWhole(journal: Journal, id: string, error: unknown, options: ResumeOperationOptions): unknown {
  if (!isUnfinished(error)) return error;
  const { code, message, details, cause } = error;
  return new UnfinishedError<UploadedFiles, ResumeOperationOptions>(code, message, {
    details,
    cause,
    operationId: id,
    async resume(changed) {
      const merged = mergeResumeOptions(options as KeyNodeOptions & OwnerOptions, changed);
      return (await journal.resume(id, merged as ResumeOperationOptions)).result as UploadedFiles;
    },
  });
}

/** Removes an operation, with what has arrived of a download. */
async function discardEntry(entries: JournalEntries, id: string): Promise<void> {
  const open = (await entries.list()).find((each) => each.id === id);
  // At worst it is offered again.
  if (open && "kind" in open) await removeCopies(entries, open).catch(() => undefined);
  if (!open || "error" in open || !isDownloadKind(open.kind)) return entries.discard(id);
  const entry = (await entries.acquire(id)) as JournalEntry<JournaledDownload>;
  try {
    await partialFiles(entry.state.path).remove(id);
  } catch (error) {
    await entry.release();
    throw error;
  }
  await entry.complete();
}

async function resumeAll(
  journal: Journal,
  entries: JournalEntries,
  options: ResumeOperationOptions | undefined,
): Promise<(ResumedOperation | FailedOperation)[]> {
  options = checkOptions(options, resumeOperationNames);
  const reports: (ResumedOperation | FailedOperation)[] = [];
  for (const open of await entries.list()) {
    if ("kind" in open && (isRemembered(open) || open.kind === PAYMENT_KIND || open.kind === QUEUE_KIND)) continue;
    const { id } = open;
    try {
      reports.push(await journal.resume(id, options));
    } catch (error) {
      // Another process has completed it meanwhile.
      if (!isKeeplightError(error, "JOURNAL_ENTRY_UNKNOWN")) reports.push({ id, error });
    }
  }
  return reports;
}

async function listOpen(entries: JournalEntries): Promise<OpenOperation[]> {
  const records = await entries.list();
  const isThere = findQueued(records);
  const open = records.flatMap((record) => {
    if (isRemembered(record)) return [];
    return "kind" in record && record.kind === QUEUE_KIND ? listQueued(record, isThere) : toOpenOperation(record);
  });
  const workers = await entries.listWorkers(open.map(({ id }) => id));
  return open.map((operation) => {
    const worker = workers.get(operation.id);
    return worker === undefined ? operation : { ...operation, worker };
  });
}

/** Returns what waits in an entry, if anything does. */
function listQueued(record: OpenRecord, isThere: ReturnType<typeof findQueued>): OpenOperation[] {
  const { id, startedAt, updatedAt } = record;
  const { folder, uploads } = record.state as QueuedBatch;
  const files = uploads.filter((upload) => isThere(id, upload)).flatMap((upload) => upload.files);
  if (files.length === 0) return [];
  const names = files.map(({ name }) => name);
  const sizes = files.map(({ size }) => size);
  const found = { id, kind: QUEUE_KIND, names, sizes, cids: [], nodesDone: [], startedAt, updatedAt };
  return [folder === undefined ? found : { ...found, folder }];
}

/** Whether there is nothing to complete, as of a payment that is made. */
function isRemembered(open: OpenRecord | { id: string; error: unknown }): boolean {
  return "kind" in open && isMemory(open);
}

function toOpenOperation(open: OpenRecord | { id: string; error: unknown }): OpenOperation {
  const { id } = open;
  if ("error" in open) {
    return { id, kind: "unreadable", names: [], sizes: [], cids: [], nodesDone: [], startedAt: 0, updatedAt: 0 };
  }
  const { kind, startedAt, updatedAt } = open;
  if (isCallKind(kind)) {
    const { cid, nodesDone } = open.state as JournaledCall;
    const cids = cid === undefined ? [] : [cid];
    return { id, kind, names: [], sizes: [], cids, nodesDone: [...nodesDone].sort(), startedAt, updatedAt };
  }
  if (isDownloadKind(kind)) {
    const { cid, path, size, bytesDone } = open.state as JournaledDownload;
    return { id, kind, names: [path], sizes: [size], cids: [cid], bytesDone, nodesDone: [], startedAt, updatedAt };
  }
  if (kind === PAYMENT_KIND) {
    const orderId = getOrderId(open);
    const names = orderId === undefined ? [] : [orderId];
    return { id, kind, names, sizes: [], cids: [], nodesDone: [], startedAt, updatedAt };
  }
  if (kind !== UPLOAD_KIND) {
    // Of a later version of this package.
    return { id, kind: "unreadable", names: [], sizes: [], cids: [], nodesDone: [], startedAt, updatedAt };
  }
  const { files, folder } = open.state as UploadState;
  const [first, ...others] = files.map(({ nodesDone }) => nodesDone);
  return {
    id,
    kind: UPLOAD_KIND,
    names: files.map(({ name }) => name),
    ...(folder === undefined ? {} : { folder }),
    sizes: files.map(({ size }) => size),
    cids: files.flatMap(({ stored }) => stored?.Hash ?? []),
    nodesDone: (first ?? []).filter((node) => others.every((nodes) => nodes.includes(node))),
    startedAt,
    updatedAt,
  };
}
