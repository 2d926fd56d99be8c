import { join } from "node:path";
import { platform } from "node:process";
import { type CallOptions, isKeeplightError, KeeplightError, openFile, type RecoverFileKeyOptions } from "keeplight";
import {
  boolean,
  callback,
  callSchema,
  createFileCipher,
  mapInOrder,
  type OptionSchema,
  pickOptions,
  type Resolved,
  resolveOptions,
  wholeNumber,
} from "keeplight/parts";
import { folderPath } from "../plan/own-folders.ts";
import type { Entry, FileEntry, LinkEntry } from "./entries.ts";
import { snapshotSchema } from "./get-snapshot.ts";
import { completeFolders, createFolders, restoreFile, restoreLink } from "./restore-entries.ts";
import { type OpenedSnapshot, withSnapshot } from "./snapshot-file.ts";
import { invalidSnapshot } from "./snapshot-format.ts";

/** Options of {@link restoreBackup}. */
export type RestoreOptions = RecoverFileKeyOptions & {
  /** Replace files and links that differ from those of the snapshot. Folders are never replaced. @default false */
  overwrite?: boolean | undefined;
  /** Restore symbolic links that may lead out of the folder, too. @default false */
  outsideLinks?: boolean | undefined;
  /** How many files are restored concurrently. @default 8 */
  workers?: number | undefined;
  /** Receives how far it is. @default none */
  onProgress?: ((progress: RestoreProgress) => void) | undefined;
};

const schema = {
  ...snapshotSchema,
  overwrite: boolean(false),
  outsideLinks: boolean(false),
  workers: wholeNumber(8, 1, 1_000),
  onProgress: callback<(progress: RestoreProgress) => void>(),
} satisfies OptionSchema<RestoreOptions>;

/** How far a restore is. */
export interface RestoreProgress {
  /** Files that are there. */
  files: number;
  /** Files that the snapshot has. */
  total: number;
  /** Bytes of the files that are there. */
  bytes: number;
  /** Bytes of all files that the snapshot has. */
  totalBytes: number;
}

/** A restore that is complete. */
export interface RestoreResult {
  /** How many files the snapshot has. */
  files: number;
  /** Size of all files, in bytes. */
  bytes: number;
  /** How many of them were written; the others were there already. */
  restored: number;
  /** What was not restored. */
  skipped: SkippedEntry[];
}

/**
 * Restores a snapshot into a folder. Every file is verified by its blocks, authenticated, and compared with the hash in the
 * snapshot before it gets its name; files that are there already with the right bytes stay. So the same call continues a
 * restore that was interrupted. Modes and times are restored; owners are not. Nothing is written outside the folder, no
 * matter who wrote the snapshot.
 *
 * @param cid - of the snapshot: from `backupFolder` or `listSnapshots`
 * @throws `INVALID_SNAPSHOT` before anything is written; `FILE_EXISTS` for a file that differs; `CANNOT_WRITE`;
 * `RESTORE_UNFINISHED` once all is restored but some files; what `decrypt` and `openFile` throw
 *
 * @example
 * await restoreBackup(cid, "/home/ada/letters", { signer });
 */
export async function restoreBackup(cid: string, folder: string, options: RestoreOptions): Promise<RestoreResult> {
  const resolved = resolveOptions(schema, options);
  const root = folderPath(folder, "folder");
  return withSnapshot(cid, resolved, (snapshot) => restoreEntries(snapshot, root, resolved));
}

async function restoreEntries(snapshot: OpenedSnapshot, root: string, options: Resolved<typeof schema>) {
  const { overwrite, outsideLinks, workers, onProgress, signal } = options;
  const { files, bytes, key } = snapshot.header;
  const progress: RestoreProgress = { files: 0, total: files, bytes: 0, totalBytes: bytes };
  const skipped: SkippedEntry[] = [];
  const failed: { path: string; code: string }[] = [];
  let restored = 0;
  const call: CallOptions = pickOptions(options, callSchema);
  const cipher = key === undefined ? undefined : createFileCipher(key);
  const refuse = ({ path }: FileEntry) => {
    throw invalidSnapshot(snapshot.cid, `${path} is stored with other bytes`);
  };

  /** Reads the bytes of a file, verified by its blocks. They may be used only once they have ended. */
  async function* read({ cid }: FileEntry, end: AbortSignal): AsyncGenerator<Uint8Array> {
    if (cid === undefined) return;
    const file = await openFile(cid, { ...call, signal: end });
    yield* cipher ? cipher.decrypt(file.stream()) : file.stream();
  }

  /** Yields what is to be restored, each once its folder is there. */
  async function* prepare(kinds: readonly Entry["kind"][]): AsyncGenerator<Entry> {
    const createAbove = await createFolders(root);
    for await (const entry of snapshot.list()) {
      if (!kinds.includes(entry.kind)) continue;
      const reason = findSkipReason(entry, outsideLinks);
      if (reason) {
        skipped.push({ path: entry.path, reason });
        continue;
      }
      await createAbove(entry);
      yield entry;
    }
  }

  /** Restores an entry; one that fails is listed, and does not stop the others. */
  async function passOver({ path }: Entry, work: () => Promise<boolean>): Promise<boolean | undefined> {
    try {
      return await work();
    } catch (error) {
      if (!isOfOneFile(error)) throw error;
      failed.push({ path, code: error.code });
      return undefined;
    }
  }

  async function restoreOne(entry: Entry, end: AbortSignal): Promise<void> {
    if (entry.kind !== "file") return;
    const place = join(root, entry.path);
    const isNew = await passOver(entry, () => restoreFile(place, entry, () => read(entry, end), { overwrite, refuse }));
    if (isNew === undefined) return;
    if (isNew) restored++;
    progress.files++;
    progress.bytes += entry.size;
    onProgress?.({ ...progress });
  }

  for await (const _ of mapInOrder(prepare(["folder", "file"]), { limit: workers, signal }, restoreOne));
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
  await completeFolders(root, snapshot.list(), (entry) => findSkipReason(entry, outsideLinks) === undefined);
  return { files, bytes, restored, skipped };
}

/** Failures of single files, after which the others are restored. */
const OF_ONE_FILE = new Set(["HTTP_STATUS", "CID_MISMATCH", "INVALID_RESPONSE", "INVALID_SNAPSHOT", "CANNOT_DECRYPT"]);

/** Names that a file system does not have. */
const BAD_NAME = new Set(["EINVAL", "EILSEQ", "ENAMETOOLONG", "EPERM"]);

function isOfOneFile(error: unknown): error is KeeplightError {
  if (!isKeeplightError(error)) return false;
  return isKeeplightError(error, "CANNOT_WRITE") ? BAD_NAME.has(error.details.code ?? "") : OF_ONE_FILE.has(error.code);
}

/** Something that was not restored. */
export interface SkippedEntry {
  /** Below the folder of the backup. */
  path: string;
  /** `name`: this system has no such names; `link`: it leads out of the folder. */
  reason: "name" | "link";
}

/** Returns why an entry is not restored here; `undefined` if it is. */
function findSkipReason(entry: Entry, hasOutsideLinks: boolean): SkippedEntry["reason"] | undefined {
  if (platform === "win32" && entry.path.split("/").some((name) => isBadOnWindows(name))) return "name";
  return entry.kind === "link" && !hasOutsideLinks && leadsOut(entry) ? "link" : undefined;
}

/** Whether Windows has no such name, or another meaning for it. */
export function isBadOnWindows(name: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: Windows refuses them
  return /[\u0000-\u001f<>:"|?*\\]|[. ]$|^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[\d¹²³]) *(\.|$)/i.test(name);
}

/**
 * Whether a link may lead out of the folder. After its first name a target has no `..`: that name may be a link, whose parent
 * folder nobody knows.
 */
function leadsOut({ path, target }: LinkEntry): boolean {
  if (/^([/\\]|[a-z]:)/i.test(target)) return true;
  const names = target.split(/[/\\]/).filter((name) => name !== "" && name !== ".");
  const up = names.findIndex((name) => name !== "..");
  const ups = up === -1 ? names.length : up;
  return ups > path.split("/").length - 1 || names.slice(ups).includes("..");
}
