import { journalStore } from "#platform";
import { isKeeplightError } from "../errors/base.ts";
import { journalDamaged } from "../errors/journal.ts";
import { createEntries, type JournalEntries, type JournalEntry, type OpenRecord } from "../journal/entries.ts";
import { type JournalLike, registerJournal } from "../journal/handle.ts";
import { openJournalKey } from "../journal/journal-key.ts";
import type { KeyRepair } from "../kavach/keys/save-repaired.ts";
import type { CallKind, JournaledCall } from "../kavach/nodes/journaled-call.ts";
import type { CompletedNodes } from "../kavach/nodes/run-on-all-nodes.ts";
import { type JournaledUpload, runJournaled, settleResumed, UPLOAD_KIND } from "../transfer/upload/journaled-upload.ts";
import { registerUploadRecorder } from "../transfer/upload/upload-record.ts";
import type { UploadedFiles } from "../transfer/upload/upload-response.ts";
import { checkOptions } from "../validation/check-options.ts";
import { continueCall, isCallKind } from "./continue-call.ts";
import { continueUpload } from "./continue-upload.ts";
import { type ResumeOperationOptions, resumeOperationNames } from "./resume-options.ts";

/** Where a journal is kept. */
export interface OpenJournalOptions {
  /** In Node: a folder for nothing else; created with mode 0700 if there is none. */
  folder?: string | URL | undefined;
  /** In a page: the name of a database of this site. */
  name?: string | undefined;
}

const openJournalNames = "folder,name";

/** An operation that is not complete. Plain data without secrets. */
export interface OpenOperation {
  /** For `resume` and `discard`. */
  id: string;
  /** What it does; `unreadable` if its entry is damaged. */
  kind: "upload" | CallKind | "unreadable";
  /** Of the files of an upload, as they are sent. Empty for other kinds. */
  names: string[];
  /** Of the same files, in bytes; `undefined` if unknown. */
  sizes: (number | undefined)[];
  /** Content ids, as far as they are known. */
  cids: string[];
  /** The key nodes that have done their part for all files. */
  nodesDone: number[];
  /** In milliseconds since 1970; 0 if unreadable. */
  startedAt: number;
  /** In milliseconds since 1970; 0 if unreadable. */
  updatedAt: number;
}

/** An operation of one kind that was resumed. */
export interface Resumed<Kind, Result> {
  /** The one it had in the journal. */
  id: string;
  /** What it did. */
  kind: Kind;
  /** What the interrupted call would have returned. */
  result: Result;
}

/** An operation that was resumed. */
export type ResumedOperation =
  | Resumed<"upload", UploadedFiles>
  | Resumed<Exclude<CallKind, "repair">, CompletedNodes>
  | Resumed<"repair", KeyRepair>;

/** An operation that could not be completed; it is still open. */
export interface FailedOperation {
  /** For another `resume`. */
  id: string;
  /** Why it failed. */
  error: unknown;
}

/** Keeps what is needed to continue operations that are interrupted, even by the end of the process; sealed. */
export interface Journal extends JournalLike {
  /** Lists the open operations, oldest first, including those that are being worked on. */
  list(): Promise<OpenOperation[]>;
  /**
   * Completes an open operation, as the account that started it. Requires `apiKey` only if files have to be sent again.
   *
   * @throws `JOURNAL_ENTRY_UNKNOWN`, `JOURNAL_ENTRY_BUSY`, `JOURNAL_DAMAGED`; `SOURCE_CHANGED` for a file that changed
   * since, and `INVALID_SOURCE` for one that has to be passed as `source`; `INVALID_OPTION` for another owner; what the
   * interrupted call throws. The operation stays open after any of them.
   *
   * An interrupted call takes effect when it is resumed: before revoking what an interrupted call shares, resume or
   * discard that call.
   */
  resume(id: string, options: ResumeOperationOptions): Promise<ResumedOperation>;
  /** Resumes all open operations, oldest first; one that fails does not stop the others. */
  resumeAll(options: ResumeOperationOptions): Promise<(ResumedOperation | FailedOperation)[]>;
  /**
   * Removes an open operation without completing it. The keys of an upload whose files are stored are lost with it.
   *
   * @throws `JOURNAL_ENTRY_UNKNOWN`, `JOURNAL_ENTRY_BUSY`
   */
  discard(id: string): Promise<void>;
}

/**
 * Opens a journal, or creates it. Calls with the option `journal` record in it what is needed to continue them, before
 * anything can be lost: should the process be killed, another one completes them with `resume` or `resumeAll`. Everything
 * is encrypted by a key that only this user of this machine has: a file of mode 0600 in the folder, or a non-extractable
 * key in the database of a page.
 *
 * @throws `INVALID_OPTION`, `UNSUPPORTED` for a folder in a page or a name in Node, `CANNOT_WRITE`,
 * `JOURNAL_KEY_EXPOSED` if other users can read the key file, `JOURNAL_LOCKED`, `JOURNAL_DAMAGED`
 *
 * @example
 * const journal = await openJournal({ folder: "./journal" });
 * await journal.resumeAll({ apiKey, signer });
 * await uploadEncrypted("./secret.pdf", { apiKey, signer, journal });
 */
export async function openJournal(options: OpenJournalOptions): Promise<Journal> {
  options = checkOptions(options, openJournalNames);
  const store = await journalStore(options);
  const entries = createEntries(store, await openJournalKey(store));
  const journal: Journal = {
    place: store.place,
    list: async () => (await entries.list()).map(toOpenOperation),
    async resume(id, changed) {
      changed = checkOptions(changed, resumeOperationNames);
      return resumeEntry(journal, await entries.acquire(id), changed);
    },
    resumeAll: (changed) => resumeAll(journal, entries, changed),
    discard: entries.discard,
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
