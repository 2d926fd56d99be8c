import { journalStore, partialFiles } from "#platform";
import { isKeeplightError } from "../../base/errors/base.ts";
import { invalidOption } from "../../base/errors/input.ts";
import { journalDamaged } from "../../base/errors/journal.ts";
import { isUnfinished, UnfinishedError } from "../../base/errors/unfinished.ts";
import { pickOptions, resolveChanges, resolveOptions } from "../../base/operation.ts";
import { createQueue, findQueued, removeCopies } from "../../journal/create-queue.ts";
import { createEntries, type Entries, type Entry, type EntryData } from "../../journal/entries.ts";
import { type JournalLike, type QueuedBatch, toJournal } from "../../journal/handle.ts";
import { createSlots, openJournalKey } from "../../journal/journal-key.ts";
import { getOrderId, isMemory, PAYMENT_KIND, QUEUE_KIND, UPLOAD_KIND } from "../../journal/operations.ts";
import type { JournalUnlock } from "../../journal/slots/slot.ts";
import { kavachSetAccessConditionsOperation } from "../../keys/access/set-access-conditions.ts";
import { kavachRevokeOperation, kavachSetDelegatesOperation, kavachShareOperation } from "../../keys/access/share.ts";
import { kavachTransferOwnershipOperation } from "../../keys/access/transfer-ownership.ts";
import { mergeResumeOptions, ownerCallSchema } from "../../keys/auth/owner.ts";
import { kavachRepairOperation } from "../../keys/file-keys/repair.ts";
import { kavachSaveShardsOperation } from "../../keys/file-keys/save-shards.ts";
import { applyLaterCalls, type CallKind, isCallKind, type OwnerCallState } from "../../keys/nodes/call-entry.ts";
import type { OwnerOperation } from "../../keys/nodes/run-on-all-nodes.ts";
import type { JournalPlace } from "../../platform/types.ts";
import { decryptOperation } from "../download/decrypt.ts";
import { downloadOperation } from "../download/download.ts";
import {
  type DownloadEntry,
  type DownloadKind,
  type DownloadState,
  isDownloadKind,
  runWithEntry,
} from "../download/download-entry.ts";
import { settleResumed, type UploadState } from "../upload/journal-entry.ts";
import type { UploadedFiles } from "../upload/upload-response.ts";
import { continueUpload } from "./continue-upload.ts";
import {
  type FailedOperation,
  type Journal,
  mergeStoredOptions,
  type OpenOperation,
  type ResumedOperation,
  type ResumeOperationOptions,
  type ResumingOptions,
  resumeSchema,
} from "./journal.ts";

/** Opens the journal at a place, of which the platform checks what it needs. */
export async function openStored(options: JournalPlace & { unlock: JournalUnlock | undefined }): Promise<Journal> {
  const store = await journalStore(options);
  const key = await openJournalKey(store, options.unlock);
  const entries = createEntries(store, key);
  const slots = createSlots(store, key);
  const journal: Journal = {
    place: store.place,
    list: () => listOpen(entries),
    resume: async (id, changed) => resumeById(journal, entries, id, resolveChanges(resumeSchema, changed)),
    resumeAll: async (changed) => resumeAll(journal, entries, resolveChanges(resumeSchema, changed)),
    discard: (id) => discardEntry(entries, id),
    slots: slots.list,
    addSlot: slots.add,
    removeSlot: slots.remove,
  };
  return toJournal(journal, Object.assign(entries, { queue: createQueue(store.place, entries) }));
}

async function resumeById(
  journal: Journal,
  entries: Entries,
  id: string,
  options: ResumingOptions,
): Promise<ResumedOperation> {
  const entry = await entries.acquire(id);
  return settleResumed(entry, async () => {
    await removeCopies(entries, entry);
    return { id, kind: entry.kind, result: await resumeEntry(journal, entry, options) } as ResumedOperation;
  });
}

async function resumeEntry(journal: Journal, entry: Entry, options: ResumingOptions): Promise<unknown> {
  const { id, kind } = entry;
  if (isCallKind(kind)) return continueCall(journal, kind, entry as Entry<OwnerCallState>, options);
  if (isDownloadKind(kind)) return continueDownload(kind, entry as DownloadEntry, options);
  if (kind === PAYMENT_KIND) {
    throw invalidOption("id", "an operation other than a payment, which resumePayments continues");
  }
  if (kind === QUEUE_KIND) throw invalidOption("id", "an operation that was started");
  if (kind !== UPLOAD_KIND) throw journalDamaged(`${id}, or written by a later version of this package`);
  const upload = entry as Entry<UploadState>;
  try {
    return await continueUpload(journal, upload, options);
  } catch (error) {
    throw upload.state.folder === undefined ? error : resumeAsWhole(journal, id, error, options);
  }
}

/** Returns the error of a step of a folder's upload with a `resume` that does all the other steps, too. */
function resumeAsWhole(journal: Journal, id: string, error: unknown, options: ResumingOptions): unknown {
  if (!isUnfinished(error)) return error;
  const { code, message, details, cause } = error;
  return new UnfinishedError<UploadedFiles, ResumeOperationOptions>(code, message, {
    details,
    cause,
    operationId: id,
    async resume(changed) {
      const merged = mergeResumeOptions(options, changed);
      return (await journal.resume(id, merged as ResumeOperationOptions)).result as UploadedFiles;
    },
  });
}

async function discardEntry(entries: Entries, id: string): Promise<void> {
  const open = (await entries.list()).find((each) => each.id === id);
  // At worst it is offered again.
  if (open && "kind" in open) await removeCopies(entries, open).catch(() => undefined);
  if (!open || "error" in open || !isDownloadKind(open.kind)) return entries.discard(id);
  const entry = (await entries.acquire(id)) as DownloadEntry;
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
  entries: Entries,
  options: ResumingOptions,
): Promise<(ResumedOperation | FailedOperation)[]> {
  const reports: (ResumedOperation | FailedOperation)[] = [];
  for (const open of await entries.list()) {
    if ("kind" in open && (isMemory(open) || open.kind === PAYMENT_KIND || open.kind === QUEUE_KIND)) continue;
    const { id } = open;
    try {
      reports.push(await resumeById(journal, entries, id, options));
    } catch (error) {
      // Another process has completed it meanwhile.
      if (!isKeeplightError(error, "JOURNAL_ENTRY_UNKNOWN")) reports.push({ id, error });
    }
  }
  return reports;
}

async function listOpen(entries: Entries): Promise<OpenOperation[]> {
  const all = await entries.list();
  const isThere = findQueued(all);
  const open = all.flatMap((entry) => {
    if ("error" in entry) return toOpenOperation(entry, {});
    if (isMemory(entry)) return [];
    const operation = toOpenOperation(entry, describeEntry(entry, isThere));
    // What was queued has an entry of its own by now.
    return operation.kind === QUEUE_KIND && operation.names.length === 0 ? [] : operation;
  });
  const workers = await entries.listWorkers(open.map(({ id }) => id));
  return open.map((operation) => {
    const worker = workers.get(operation.id);
    return worker === undefined ? operation : { ...operation, worker };
  });
}

type OpenEntry = Pick<EntryData, "id"> & Partial<Pick<EntryData, "startedAt" | "updatedAt">>;

function toOpenOperation(
  { id, startedAt = 0, updatedAt = 0 }: OpenEntry,
  facts: Partial<OpenOperation>,
): OpenOperation {
  return { id, kind: "unreadable", names: [], sizes: [], cids: [], nodesDone: [], startedAt, updatedAt, ...facts };
}

/** Says what is known of an operation; nothing of one of a later version of this package. */
function describeEntry({ id, kind, state }: EntryData, isThere: ReturnType<typeof findQueued>): Partial<OpenOperation> {
  if (isCallKind(kind)) {
    const { cid, nodesDone } = state as OwnerCallState;
    return { kind, cids: cid === undefined ? [] : [cid], nodesDone: [...nodesDone].sort() };
  }
  if (isDownloadKind(kind)) {
    const { cid, path, size, bytesDone } = state as DownloadState;
    return { kind, names: [path], sizes: [size], cids: [cid], bytesDone };
  }
  if (kind === PAYMENT_KIND) {
    const orderId = getOrderId(state);
    return { kind, names: orderId === undefined ? [] : [orderId] };
  }
  if (kind === QUEUE_KIND) {
    const { folder, uploads, options } = state as QueuedBatch;
    const files = uploads.filter((upload) => isThere(id, upload)).flatMap((upload) => upload.files);
    return { kind, ...toFiles(files, folder), ...toLimit(options) };
  }
  if (kind !== UPLOAD_KIND) return {};
  const { files, folder, options } = state as UploadState;
  const [first, ...others] = files.map(({ nodesDone }) => nodesDone);
  return {
    kind,
    ...toFiles(files, folder),
    ...toLimit(options),
    cids: files.flatMap(({ stored }) => stored?.Hash ?? []),
    nodesDone: (first ?? []).filter((node) => others.every((nodes) => nodes.includes(node))),
  };
}

/** The limit of an upload that is paid for by itself. */
function toLimit({ payPerUpload }: { payPerUpload?: { maxAmount: string } | undefined }) {
  return payPerUpload && { payPerUpload: { maxAmount: BigInt(payPerUpload.maxAmount) } };
}

function toFiles(files: readonly { name: string; size?: number | undefined }[], folder: string | undefined) {
  const names = files.map(({ name }) => name);
  return { names, sizes: files.map(({ size }) => size), ...(folder === undefined ? {} : { folder }) };
}

const operations: Record<CallKind, OwnerOperation<never>> = {
  save: kavachSaveShardsOperation,
  share: kavachShareOperation,
  revoke: kavachRevokeOperation,
  conditions: kavachSetAccessConditionsOperation,
  transfer: kavachTransferOwnershipOperation,
  repair: kavachRepairOperation,
  delegate: kavachSetDelegatesOperation,
};

/** Completes an owner call: calls the nodes that have not done it; doing it again would harm nobody. */
async function continueCall(
  journal: JournalLike,
  kind: CallKind,
  entry: Entry<OwnerCallState>,
  options: ResumingOptions,
): Promise<unknown> {
  await applyLaterCalls(journal, entry);
  const { cid = "", parameters } = entry.state;
  const operation = operations[kind];
  const merged = mergeStoredOptions(parameters, pickOptions(options, ownerCallSchema));
  const resolved = resolveOptions(operation.stored ?? operation.options, merged);
  return operation.run(cid, { ...resolved, journal }, entry);
}

/** Completes a download: fetches what has not arrived yet. */
async function continueDownload(kind: DownloadKind, entry: DownloadEntry, changed: ResumingOptions): Promise<unknown> {
  const { cid, path, options } = entry.state;
  const { options: schema, fetch } = kind === "download" ? downloadOperation : decryptOperation;
  const merged = { ...mergeStoredOptions(options, pickOptions(changed, schema)), to: path };
  const resolved = resolveOptions(schema, merged);
  return runWithEntry(entry, resolved, (partial) => fetch(cid, resolved as never, partial));
}
