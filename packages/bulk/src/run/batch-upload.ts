import { isKeeplightError } from "keeplight";
import {
  type Attempt,
  confirmStored,
  createUploadEntry,
  deriveOnce,
  encryptFiles,
  type FileState,
  finishUpload,
  locateFile,
  mapInOrder,
  notAJwt,
  pickOptions,
  prepareAttempt,
  type ResolvedUpload,
  refuseOtherOwner,
  resolveChanges,
  resolveRoute,
  restoreAttempt,
  restoreExpected,
  selectFiles,
  sendEncrypted,
  uploadEncryptedSchema,
} from "keeplight/parts";
import { type BatchEntry, isSent, isStoredBy } from "../journal/batch-entry.ts";
import { isOfDatabase } from "../ledger/database-error.ts";
import { FILE_LOST, isDone, KEY_UNREADABLE } from "../ledger/transition.ts";
import type { LedgerRow, RowChange } from "../ledger/types.ts";
import { addFileKeys } from "./file-keys.ts";
import type { BatchSender } from "./run-batch.ts";

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
  // What fails is tried again as a whole, never by the error of a step.
  const uploadEntry = createUploadEntry(entry);
  let isOver = false;
  let isUnneeded = false;

  const toOptions = (signal: AbortSignal): ResolvedUpload => {
    const kept = resolveChanges(uploadEncryptedSchema, pickOptions(entry.state.options, uploadEncryptedSchema));
    return { ...upload, ...kept, signal };
  };
  const findIndex = ({ path, cid }: LedgerRow) =>
    entry.state.files.findIndex(
      (file) => file.path === path && (!hasOthers || cid === undefined || isStoredBy(file, cid)),
    );

  async function prepare(options: ResolvedUpload): Promise<Attempt> {
    // A signature is valid for one file only.
    if (options.authToken?.startsWith("0x")) throw notAJwt();
    const attempt = await prepareAttempt(options);
    if (entry.state.owner !== "") refuseOtherOwner(entry.state.owner, attempt.auth.address);
    // A node that is down does not keep the others from saving their shards.
    return { ...attempt, rule: { ...attempt.rule, afterFailure: "continue" } };
  }

  return {
    async recover(rows, _files, signal) {
      // What may be stored is not stored again unless that is requested.
      const unreadable = hasOthers ? rows.filter((row) => findIndex(row) < 0) : [];
      if (unreadable.length > 0) return unreadable.map(toUnreadableKey);
      const sent = rows.flatMap((row) => {
        const file = entry.state.files[findIndex(row)];
        return file ? [{ row, file }] : [];
      });
      const changes: RowChange[] = [];
      const options = toOptions(signal);
      const locate = async ({ row, file }: { row: LedgerRow; file: FileState }, own: AbortSignal) => ({
        row,
        found: await locateFile(toUnproven(file), undefined, { ...options, signal: own }),
      });
      for await (const { row, found } of mapInOrder(sent, { limit: LOCATED_AT_ONCE, signal }, locate)) {
        if (found) changes.push({ index: row.index, from: row.status, to: "stored", cid: found.Hash });
      }
      return changes;
    },

    async prepare(files, signal) {
      const options = toOptions(signal);
      const { auth } = await prepare(options);
      const paths = files.map(({ row }) => row.path);
      await addFileKeys(entry, paths, { owner: auth.address, isOneKey, options });
    },

    async send(files, signal) {
      const options = toOptions(signal);
      const route = await resolveRoute(options);
      const attempt = await prepare(options);
      const { auth, progress, call, cidVersion } = attempt;
      const indexes = files.map(({ row }) => findIndex(row));
      const keys = indexes.flatMap((index) => entry.state.files[index] ?? []);
      const sources = files.map(({ folder: _, row: __, ...file }, at) => ({ ...file, name: keys[at]?.name ?? "" }));
      const prepared = isOneKey && keys[0] ? deriveOnce(keys[0].masterKey) : undefined;
      const encrypted = encryptFiles(sources, keys, prepared);
      // Nothing is sent for an owner who cannot sign in.
      await auth.token();
      const own = selectFiles(uploadEntry, indexes);
      const request = { files: sources, encrypted, keys, route, cidVersion, wrapWithDirectory: false, progress };
      const { sent, ...outcome } = await sendEncrypted({ ...request, entry: own }, call);
      if ("error" in outcome) throw outcome.error;
      const { stored } = outcome;
      await own.locate(stored);
      const toConfirm = stored.map(({ Hash: cid }, at) => {
        const { name = "", keyShards = [] } = keys[at] ?? {};
        return { name, cid, expected: sent.expected(at), keyShards, vouched: false };
      });
      await confirmStored(toConfirm, { ...attempt, strict: false });
      return files.map(({ row }, at) => ({
        index: row.index,
        from: "sent",
        to: "stored",
        cid: stored[at]?.Hash ?? "",
      }));
    },

    async saveKeys(rows, signal) {
      const lost = rows.filter((row) => findIndex(row) < 0);
      if (lost.length > 0) return lost.map(hasOthers ? toUnreadableKey : toLostKey);
      const options = toOptions(signal);
      const attempt = await prepare(options);
      const indexes = rows.map(findIndex);
      const keys = indexes.flatMap((index) => entry.state.files[index] ?? []);
      const stored = rows.map(({ cid = "" }, at) => ({ Name: keys[at]?.name ?? "", Hash: cid }));
      const own = selectFiles(uploadEntry, indexes);
      const names = stored.map(({ Name }) => Name);
      const expected = (at: number) => restoreAttempt(keys[at], stored[at]?.Hash);
      const toSaved = ({ index }: LedgerRow): RowChange => ({ index, from: "stored", to: "saved" });
      try {
        await finishUpload({ sent: { names, keys, expected, entry: own }, stored, reported: stored }, attempt);
      } catch (error) {
        const saved = rows.filter((_, at) => own.nodesDone(at).length >= attempt.rule.enough);
        if (saved.length > 0) return saved.map(toSaved);
        // The key node's own error says more about what to do.
        const isOfNode = isKeeplightError(error, "SHARDS_NOT_SAVED") && isKeeplightError(error.cause);
        throw isOfNode ? error.cause : error;
      }
      return rows.map(toSaved);
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

/** A file of which only the network is to say whether it is stored: it may have been lost since. */
function toUnproven({ stored, ...file }: FileState): FileState {
  const isComputed = file.attempts.some((attempt) => restoreExpected(attempt).has(stored?.Hash ?? ""));
  return { ...file, nodesDone: [], ...(stored && !isComputed ? { stored } : {}) };
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
