import { getFileInfo, isKeeplightError } from "keeplight";
import {
  callSchema,
  getOwnerAddress,
  invalidOption,
  type OptionSchema,
  pickOptions,
  resolveOptions,
  signal,
} from "keeplight/parts";
import { readLines, writeLines } from "../json-lines.ts";
import type { LedgerRow } from "../ledger/ledger.ts";
import { folderPath } from "../plan/own-folders.ts";
import { type BackupOptions, backupSchema, type ResolvedAccount, type ResolvedBackup } from "./backup-options.ts";
import {
  type BackupSet,
  createRun,
  openSet,
  type Places,
  readRun,
  readSet,
  refuseStateAbove,
  removeRun,
  type StartedRun,
  type StoredSnapshot,
  startRun,
  toPlaces,
  withSet,
} from "./backup-set.ts";
import type { KnownEntry, ScannedEntry } from "./entries.ts";
import { scanFolder } from "./scan-folder.ts";
import { sendTree } from "./send-tree.ts";
import { storeSnapshot } from "./snapshot-file.ts";
import { completeIndex, completeTree, isToSend, keepHashes, type SkippedFile } from "./tree.ts";

/** A backup that is complete. */
export interface BackupResult extends Omit<StoredSnapshot, "digest"> {
  /** Whether nothing has changed since the last snapshot, which is this one. */
  isUnchanged: boolean;
  /** How many files were sent, by this call or by an interrupted one that it continues. */
  sent: number;
  /** Files that could not be read: the snapshot has the version that was stored last, if there is one. */
  skipped: SkippedFile[];
}

/**
 * Backs up a folder: sends the files that are new or have changed since the last call, then stores a snapshot, an encrypted
 * list of everything in the folder, by which `restoreBackup` restores it. The files are encrypted under a key that only
 * snapshots have, unless they are `public`; the wallet alone opens a snapshot, on any machine. No name of a file leaves this
 * machine in clear.
 *
 * A file with the size, times and number in its file system that it had is not read again; one that was moved, or only touched,
 * is not sent again. If the process ends, the same call continues. Symbolic links are kept as they are, not followed; sockets,
 * pipes and devices are left out.
 *
 * @throws `INVALID_OPTION`, also if another call uses the state, another account, or the network does not have its last snapshot any more;
 * `SOURCE_UNREADABLE` if the folder itself cannot be read; `INVALID_SOURCE` if it has a plan, a journal or the state of backups, and
 * is to be public; `BACKUP_UNFINISHED` if files could not be stored, which the same call
 * tries again; `UNSUPPORTED` if `classic-level` is not installed; what `runBulk` and `uploadEncrypted` throw
 *
 * @example
 * const { cid, sent } = await backupFolder("/home/ada/letters", { state: "/home/ada/.letters-backup", apiKey, signer });
 */
export async function backupFolder(folder: string, options: BackupOptions): Promise<BackupResult> {
  const resolved = resolveOptions(backupSchema, options);
  const { state, public: isPublic, storage, workers: _, onError: __, onProgress, ...account } = resolved;
  const root = folderPath(folder, "folder");
  await refuseStateAbove(state, root);
  const owner = await getOwnerAddress(account);
  return withSet(state, async (owned) => {
    const set = await openSet(owned, { state, root, isPublic, owner });
    const last = set.snapshots.at(-1);
    if (last) await assertStored(last, account);
    const places = toPlaces(state);
    const before = await completeEarlier(set, places, resolved);
    const { sent: now, skipped } = await sendChanges(set, places, resolved);
    const sent = before + now;
    onProgress?.({ phase: "storing", files: sent, total: sent });
    const stored = await storeSnapshot(set, { folder: state, index: places.index, account, storage });
    const isUnchanged = stored === last;
    if (!isUnchanged) await owned.save({ ...set, snapshots: [...set.snapshots, stored] });
    const { digest: ___, ...snapshot } = stored;
    return { ...snapshot, isUnchanged, sent, skipped };
  });
}

/** What is stored already is not sent again: so it has to be there, on the network that is used now. */
async function assertStored({ cid }: StoredSnapshot, account: ResolvedAccount): Promise<void> {
  try {
    await getFileInfo(cid, pickOptions(account, callSchema));
  } catch (error) {
    if (!isKeeplightError(error, "HTTP_STATUS") || error.details.status !== 404) throw error;
    throw invalidOption("state", "the state of backups that the network has: it does not have the last snapshot");
  }
}

/** Completes what an earlier process has started, so that its files are known. Returns how many of them are sent. */
async function completeEarlier(set: BackupSet, places: Places, options: ResolvedBackup): Promise<number> {
  const run = await readRun(places);
  if (run) return (await sendRun(set, places, run, options)).sent;
  await keepHashes(places);
  return 0;
}

async function sendChanges(set: BackupSet, places: Places, options: ResolvedBackup) {
  await createRun(places);
  const { state: excluded, signal, onProgress } = options;
  const isPublic = set.encryption === undefined;
  const lines = scanFolder({ root: set.root, excluded, isPublic, signal }, readLines<KnownEntry>(places.index));
  const report = (files: number) => onProgress?.({ phase: "listing", files });
  await writeLines(places.tree, countFiles(lines, report));
  return sendRun(set, places, await startRun(places, await completeTree(places)), options);
}

/** Sends the files of a run, and puts its tree into the index. */
async function sendRun(set: BackupSet, places: Places, run: StartedRun, options: ResolvedBackup) {
  const complete = (rows: AsyncIterable<LedgerRow>) => completeIndex(places, rows);
  const result = await (run.files === 0 ? complete(noRows()) : sendTree(set, places, run, options, complete));
  await removeRun(places);
  return result;
}

async function* noRows(): AsyncGenerator<never> {}

const REPORT_FILES = 1_000;

async function* countFiles(lines: AsyncIterable<ScannedEntry>, report: (files: number) => void) {
  let files = 0;
  for await (const line of lines) {
    if (line.kind === "file" && ++files % REPORT_FILES === 0) report(files);
    yield line;
  }
  report(files);
}

/** What a backup would do. */
export interface BackupPreview {
  /** How many files the folder has. */
  files: number;
  /** Size of all files, in bytes. */
  bytes: number;
  /** How many of them are new, or have changed. */
  filesToSend: number;
  /** Size of those files, in bytes. */
  bytesToSend: number;
}

const schema = { state: folderPath, signal } satisfies OptionSchema<Pick<BackupOptions, "state" | "signal">>;

/**
 * Finds out what `backupFolder` would send. Sends and writes nothing.
 *
 * @param options - `state` as for `backupFolder`
 * @throws `INVALID_OPTION`, `SOURCE_UNREADABLE`, `ABORTED`
 */
export async function previewBackup(
  folder: string,
  options: Pick<BackupOptions, "state" | "signal">,
): Promise<BackupPreview> {
  const { state: excluded, signal } = resolveOptions(schema, options);
  const root = folderPath(folder, "folder");
  const set = await readSet(excluded);
  const isPublic = set !== undefined && set.encryption === undefined;
  const lines = readLines<KnownEntry>(toPlaces(excluded).index);
  const preview: BackupPreview = { files: 0, bytes: 0, filesToSend: 0, bytesToSend: 0 };
  for await (const line of scanFolder({ root, excluded, isPublic, signal }, lines)) {
    if (line.kind !== "file") continue;
    preview.files++;
    preview.bytes += line.size;
    if (!isToSend(line)) continue;
    preview.filesToSend++;
    preview.bytesToSend += line.size;
  }
  return preview;
}
