import { join } from "node:path";
import { isKeeplightError, KeeplightError } from "keeplight";
import {
  boolean,
  callback,
  invalidOption,
  mapInOrder,
  type OptionSchema,
  type Resolved,
  resolveOptions,
  wholeNumber,
} from "keeplight/parts";
import { entryPath, folderPath } from "./checks.ts";
import { listChosen } from "./choose.ts";
import type { Entry } from "./entries.ts";
import { openReader } from "./open-reader.ts";
import { type ReadOptions, readSchema } from "./options.ts";
import { createOutageCount } from "./patience.ts";
import { completeFolders, createFolders, keepsRunAs, restoreLink, restoreName } from "./restore-entries.ts";
import { restoreFile } from "./restore-file.ts";
import { findSkipReason, type SkipReason } from "./skip-reason.ts";
import type { SnapshotReader } from "./snapshot-reader.ts";

/** Options of {@link restoreBackup}. */
export type RestoreOptions = ReadOptions & {
  /** Restore only this file or folder, by its path in the snapshot, with the folders above it. @default everything */
  path?: string | undefined;
  /** Replace files and links that differ from those of the snapshot. Folders are never replaced. @default false */
  overwrite?: boolean | undefined;
  /** Restore symbolic links that may lead out of the folder, too. @default false */
  outsideLinks?: boolean | undefined;
  /** How many files are restored concurrently. @default 16 */
  workers?: number | undefined;
  /** Receives how far it is. @default none */
  onProgress?: ((progress: RestoreProgress) => void) | undefined;
};

const schema = {
  ...readSchema,
  path: entryPath,
  overwrite: boolean(false),
  outsideLinks: boolean(false),
  workers: wholeNumber(16, 1, 1_000),
  onProgress: callback<(progress: RestoreProgress) => void>(),
} satisfies OptionSchema<RestoreOptions>;

/** How far a restore is. */
export interface RestoreProgress {
  /** Files that are there. */
  files: number;
  /** Files that are to be restored; those of the snapshot, if everything is. */
  total: number;
  /** Bytes of the files that are there. */
  bytes: number;
  /** Bytes of all files that are to be restored. */
  totalBytes: number;
}

/** A restore that is complete. */
export interface RestoreResult {
  /** How many files were to be restored. */
  files: number;
  /** Size of those files, in bytes. */
  bytes: number;
  /** How many of them were written; the others were there already. */
  restored: number;
  /** What was not restored, or not as it was. */
  skipped: SkippedEntry[];
}

/** Something that was not restored, or not as it was. */
export interface SkippedEntry {
  /** Below the folder of the backup. */
  path: string;
  /**
   * `name`: this system has no such names; `link`: it leads out of the folder; `mode`: it is restored, but does not run as its
   * owner or group, who are other ones here.
   */
  reason: SkipReason | "mode";
}

/**
 * Restores a snapshot into a folder. Every chunk is verified by its blocks, authenticated, and compared with its id; a file gets
 * its name once it is whole, and files that are there already with the right bytes stay. So the same call continues a restore that
 * was interrupted. Modes, times, hard links and holes are restored; owners are not. Nothing is written outside the folder, no
 * matter who wrote the snapshot. Snapshots of the first format are restored, too.
 *
 * @param cid - of the snapshot: from `backupFolder` or `listSnapshots`
 * @throws `INVALID_SNAPSHOT` for another file; `INVALID_OPTION` for a `path` that the snapshot does not have; `FILE_EXISTS` for a
 * file that differs; `CANNOT_WRITE`; `RESTORE_UNFINISHED` once all is restored but some files; what `decrypt` and `openFile` throw
 *
 * @example
 * await restoreBackup(cid, "/home/ada/letters", { signer });
 */
export async function restoreBackup(cid: string, folder: string, options: RestoreOptions): Promise<RestoreResult> {
  const resolved = resolveOptions(schema, options);
  const root = folderPath(folder, "folder");
  const reader = await openReader(cid, resolved);
  return restoreEntries(reader, root, resolved).finally(() => reader.close());
}

async function restoreEntries(
  reader: SnapshotReader,
  root: string,
  options: Resolved<typeof schema>,
): Promise<RestoreResult> {
  const { overwrite, outsideLinks, workers, onProgress, signal } = options;
  const list = () => listChosen(reader.list(), options.path);
  const { files, bytes } = await measure(list(), options.path);
  const progress: RestoreProgress = { files: 0, total: files, bytes: 0, totalBytes: bytes };
  const skipped: SkippedEntry[] = [];
  const failed: { path: string; code: string }[] = [];
  const outages = createOutageCount();
  let restored = 0;

  /** Yields what is to be restored, each once its folder is there. */
  async function* prepare(kinds: readonly Entry["kind"][]): AsyncGenerator<Entry> {
    const createAbove = await createFolders(root);
    for await (const entry of list()) {
      if (!kinds.includes(entry.kind)) continue;
      const isNameless = entry.kind === "name" && findSkipReason({ ...entry, path: entry.of }, outsideLinks);
      const reason = findSkipReason(entry, outsideLinks) ?? (isNameless || undefined);
      if (reason) {
        skipped.push({ path: entry.path, reason });
        continue;
      }
      await createAbove(entry);
      yield entry;
    }
  }

  /** Restores an entry; one that fails is listed, and does not stop the others. */
  async function passOver<T>({ path }: Entry, work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      if (!isOfOneFile(error)) throw error;
      outages.add(error);
      failed.push({ path, code: error.code });
      return undefined;
    }
  }

  async function restoreOne(entry: Entry, end: AbortSignal): Promise<void> {
    if (entry.kind !== "file") return;
    const place = join(root, entry.path);
    const isNew = await passOver(entry, () => restoreFile(place, entry, reader.content, overwrite, end));
    if (isNew === undefined) return;
    if (isNew) {
      restored++;
      outages.end();
    }
    if (!(await keepsRunAs(place, entry))) skipped.push({ path: entry.path, reason: "mode" });
    progress.files++;
    progress.bytes += entry.size;
    onProgress?.({ ...progress });
  }

  for await (const _ of mapInOrder(prepare(["folder", "file"]), { limit: workers, signal }, restoreOne));
  for await (const entry of prepare(["name"])) {
    if (entry.kind !== "name" || failed.some(({ path }) => path === entry.of)) continue;
    await passOver(entry, () => restoreName(join(root, entry.path), join(root, entry.of), overwrite));
  }
  // Last: nothing is written through them.
  for await (const entry of prepare(["link"])) {
    if (entry.kind === "link") await passOver(entry, () => restoreLink(join(root, entry.path), entry, overwrite));
  }
  // A folder that is read-only once it is complete would keep the same call from restoring the rest.
  if (failed.length > 0) {
    const what = failed.length === 1 ? "1 file" : `${failed.length} files`;
    const message = `${what} could not be restored; everything else is`;
    throw new KeeplightError("RESTORE_UNFINISHED", message, { details: { failed } });
  }
  await completeFolders(root, list(), (entry) => findSkipReason(entry, outsideLinks) === undefined);
  return { files, bytes, restored, skipped };
}

async function measure(entries: AsyncIterable<Entry>, path: string | undefined) {
  const counts = { files: 0, bytes: 0 };
  let isFound = path === undefined;
  for await (const entry of entries) {
    isFound ||= entry.path === path;
    if (entry.kind !== "file") continue;
    counts.files++;
    counts.bytes += entry.size;
  }
  if (!isFound) throw invalidOption("path", "a path that the snapshot has");
  return counts;
}

/** Failures of single files, after which the others are restored. */
const OF_ONE_FILE = new Set([
  "HTTP_STATUS",
  "NETWORK",
  "TIMEOUT",
  "CID_MISMATCH",
  "INVALID_RESPONSE",
  "INVALID_SNAPSHOT",
  "CANNOT_DECRYPT",
]);

/** Names that a file system does not have. */
const BAD_NAME = new Set(["EINVAL", "EILSEQ", "ENAMETOOLONG", "EPERM"]);

function isOfOneFile(error: unknown): error is KeeplightError {
  if (!isKeeplightError(error)) return false;
  return isKeeplightError(error, "CANNOT_WRITE") ? BAD_NAME.has(error.details.code ?? "") : OF_ONE_FILE.has(error.code);
}
