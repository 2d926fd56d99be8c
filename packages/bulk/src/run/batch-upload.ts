import { createUploadSteps, isStoredAs, mapInOrder } from "keeplight/parts";
import { type BatchEntry, isSent } from "../journal/batch-entry.ts";
import { isOfDatabase } from "../ledger/database-error.ts";
import { FILE_LOST, isDone, KEY_UNREADABLE } from "../ledger/transition.ts";
import type { LedgerRow, RowChange } from "../ledger/types.ts";
import type { BatchSender } from "./run-batch.ts";
import { toStoredNames } from "./stored-names.ts";
import type { ResolvedUpload } from "./upload-options.ts";

/** Files that are looked for concurrently. */
const LOCATED_AT_ONCE = 16;

/**
 * Encrypts and sends the files of one batch, and saves their keys. What an earlier process had sent is continued with its keys.
 *
 * @param opened - the entry of the batch in the journal, without files before they are sent for the first time; and what
 * discards others that are damaged, once no file requires them
 * @param isOneKey - whether all files of the batch have one key
 */
export function createBatchUpload(
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
      const locate = async (row: LedgerRow, own: AbortSignal) => ({
        row,
        cid: await steps.locate(findIndex(row), own),
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
