import { isKeeplightError, type JournalUnlock, KeeplightError, type UploadEncryptedOptions } from "keeplight";
import {
  type Check,
  callSchema,
  createUploadSteps,
  type Entries,
  hashFolder,
  invalidOption,
  isKnown,
  isOptions,
  isStoredAs,
  mapInOrder,
  pickOptions,
  type Resolved,
  resolveOptions,
  sendFolder,
  toNodeName,
  uploadEncryptedSchema,
} from "keeplight/parts";
import {
  BATCH_KIND,
  type BatchEntry,
  type BatchState,
  isSent,
  openBatchEntry,
  openBatchJournal,
} from "../batch-journal.ts";
import { isOfDatabase } from "../ledger/database.ts";
import { FILE_LOST, isDone, KEY_UNREADABLE, type Ledger, type LedgerRow, type RowChange } from "../ledger/ledger.ts";
import type { BatchFile } from "./batch-files.ts";
import type { BatchSender, Sender } from "./run-batch.ts";

/** Options of the uploads of a plan: those of `upload`, or of `uploadEncrypted` if its files are encrypted. */
export type BulkUploadOptions = Optional<
  Omit<
    UploadEncryptedOptions,
    "name" | "wrapWithDirectory" | "verifyCid" | "journal" | "onProgress" | "signal" | "via" | "recovery" | "recoveryTo"
  >
>;

type Optional<Options> = { [Name in keyof Options]?: Options[Name] | undefined };

type ResolvedUpload = Resolved<typeof uploadEncryptedSchema>;

/** Plans may be encrypted or not: these are the options of both. */
function resolveUpload(upload: unknown, name: string): ResolvedUpload {
  if (!isOptions(upload)) throw invalidOption(name, "the options of each upload, with an apiKey");
  try {
    return resolveOptions(uploadEncryptedSchema, upload);
  } catch (error) {
    throw isKeeplightError(error, "INVALID_OPTION") ? toNested(error, name) : error;
  }
}

/** Names an option by the path to it: it is one of the options that `group` has. */
function toNested({ message, details, cause }: KeeplightError<"INVALID_OPTION">, group: string): KeeplightError {
  const toPath = (name: string | undefined) => (name === undefined ? undefined : `${group}.${name}`);
  return new KeeplightError("INVALID_OPTION", message.replace(/^\w+ option |: did you mean /g, `$&${group}.`), {
    details: { ...details, option: toPath(details.option), nearest: toPath(details.nearest) },
    cause,
  });
}

/** Wallets are recognised by their identity. */
export const uploadCheck: Check<ResolvedUpload> = Object.assign(resolveUpload, { isReference: true as const });

/**
 * Creates what sends batches of files as they are. Each batch is stored as one folder, whose content id covers all of its
 * files: the upload node's response is accepted only if it names the id that was computed while the files were sent.
 */
export function createPlainSender(upload: ResolvedUpload): Sender {
  const sender: BatchSender = {
    async recover(_rows, files, signal) {
      if (files.length === 0) return [];
      const hashed = await hashReadable(files, upload.cidVersion, signal);
      for (const root of hashed?.roots ?? []) {
        if (!(await isKnown(root, { ...pickOptions(upload, callSchema), signal }))) continue;
        return files.map((file, at) => toStored(file, hashed?.cids[at], root));
      }
      return [];
    },
    async send(files, signal) {
      const { cids, root } = await sendFolder(files, { ...upload, signal });
      return files.map((file, at) => toStored(file, cids[at], root));
    },
    saveKeys: async () => [],
    settle: async () => undefined,
  };
  return { startBatch: async () => sender };
}

function toStored({ row }: BatchFile, cid: string | undefined, root: string | undefined): RowChange {
  return { index: row.index, from: "sent", to: "stored", cid, root };
}

/** Computes the content ids of files and of their folder; `undefined` if a file cannot be read. */
async function hashReadable(files: readonly BatchFile[], cidVersion: 0 | 1, signal: AbortSignal) {
  try {
    return await hashFolder(files, cidVersion, signal);
  } catch (error) {
    // Sending it fails for the same reason, which is recorded then.
    if (isKeeplightError(error) && error.code !== "ABORTED") return undefined;
    throw error;
  }
}

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
  let opening: Promise<Entries> | undefined;

  async function openSwept(): Promise<Entries> {
    const journal = await openBatchJournal(ledger, unlock);
    await eraseDone(journal, ledger);
    return journal;
  }

  function open(): Promise<Entries> {
    opening ??= openSwept().catch((error) => {
      opening = undefined;
      throw error;
    });
    return opening;
  }

  return {
    open,
    async startBatch(plan, batch, rows) {
      const journal = await open();
      const opened = await openBatchEntry(journal, plan.id, batch, rows);
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

const LOCATED_AT_ONCE = 16;

/**
 * Encrypts and sends the files of one batch, and saves their keys. What an earlier process had sent is continued with its keys.
 *
 * @param opened - the entry of the batch in the journal, without files before they are sent for the first time; and what
 * discards others that are damaged, once no file requires them
 * @param isOneKey - whether all files of the batch have one key
 */
function createBatchUpload(
  { entry, damaged, hasOthers, discard }: BatchEntry & { discard(id: string): Promise<void> },
  isOneKey: boolean,
  upload: ResolvedUpload,
): BatchSender {
  const steps = createUploadSteps(entry, upload);
  let isOver = false;
  let isUnneeded = false;

  const findIndex = ({ path, cid }: LedgerRow) =>
    entry.state.files.findIndex(
      (file) => file.path === path && (!hasOthers || cid === undefined || isStoredAs(file, cid)),
    );

  return {
    async recover(rows, _files, signal) {
      // What may be stored is not stored again unless that is requested.
      const unreadable = hasOthers ? rows.filter((row) => findIndex(row) < 0) : [];
      if (unreadable.length > 0) return unreadable.map(toUnreadableKey);
      const changes: RowChange[] = [];
      const locate = async (row: LedgerRow, end: AbortSignal) => ({
        row,
        cid: await steps.locate(findIndex(row), end),
      });
      for await (const { row, cid } of mapInOrder(rows, { limit: LOCATED_AT_ONCE, signal }, locate)) {
        if (cid !== undefined) changes.push({ index: row.index, from: row.status, to: "stored", cid });
      }
      return changes;
    },

    async prepare(files, signal) {
      const { files: prepared } = entry.state;
      const known = new Set(prepared.map(({ path }) => path));
      const missing = files.map(({ row }) => row.path).filter((path) => !known.has(path));
      const taken = prepared.map(({ name }) => name);
      await steps.prepare(toStoredNames(missing, taken), isOneKey, signal);
    },

    async send(files, signal) {
      const indexes = files.map(({ row }) => findIndex(row));
      const cids = await steps.send(indexes, files, isOneKey, signal);
      return files.map(({ row }, at) => ({ index: row.index, from: "sent", to: "stored", cid: cids[at] ?? "" }));
    },

    async saveKeys(rows, signal) {
      const lost = rows.filter((row) => findIndex(row) < 0);
      if (lost.length > 0) return lost.map(hasOthers ? toUnreadableKey : toLostKey);
      const cids = rows.map(({ cid = "" }) => cid);
      const saved = new Set(await steps.saveKeys(rows.map(findIndex), cids, signal));
      return rows
        .filter((_, at) => saved.has(at))
        .map(({ index }): RowChange => ({ index, from: "stored", to: "saved" }));
    },

    async settle(rows) {
      const kept = rows.filter(isSent).map(findIndex);
      const isNeeded = kept.some((index) => (entry.state.files[index]?.attempts.length ?? 0) > 0);
      isOver = !isNeeded && rows.every((row) => isDone(row, true));
      isUnneeded = isOver && kept.length === 0;
    },

    async close() {
      // By now it may be another process's, with other keys: what that has written stays.
      await (isOver ? entry.erase().catch(rethrowOfDatabase) : entry.release());
      if (isUnneeded) for (const id of damaged) await discard(id).catch(() => undefined);
    },
  };
}

/** By the next attempt of the batch the database may erase it. In a folder, the next process does that. */
function rethrowOfDatabase(error: unknown): void {
  if (isOfDatabase(error)) throw error;
}

/** The key of the file is in an entry of the journal that cannot be read. */
function toUnreadableKey({ index, status }: LedgerRow): RowChange {
  const message =
    "The journal's entry with the key of the file is damaged: put it back from a copy, or retry with encryptAgain (--encrypt-again)";
  return { index, from: status, to: status, problem: { code: KEY_UNREADABLE, message } };
}

/** The file is stored, and nobody can open it: it starts again once it is retried. */
function toLostKey({ index }: LedgerRow): RowChange {
  const message = "The journal of the plan does not have the key of the file any more";
  return { index, from: "stored", to: "stored", problem: { code: FILE_LOST, message } };
}

/**
 * Returns the names to store files under, whose paths in the source these are: the paths with `-` for `/`, and numbers before
 * those that others have.
 *
 * @param others - names that are taken
 */
function toStoredNames(paths: readonly string[], others: readonly string[]): { path: string; name: string }[] {
  const taken = new Set(others.map(toNodeName));
  return paths.map((path) => {
    const flat = path.replaceAll("/", "-");
    let name = flat;
    for (let number = 2; taken.has(toNodeName(name)); number++) name = `${number}-${flat}`;
    taken.add(toNodeName(name));
    return { path, name };
  });
}
