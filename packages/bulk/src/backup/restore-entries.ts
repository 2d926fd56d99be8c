import { createHash } from "node:crypto";
import { createReadStream, type Stats } from "node:fs";
import { chmod, lstat, mkdir, open, readlink, rename, rm, stat, symlink, utimes } from "node:fs/promises";
import { dirname, join } from "node:path";
import { KeeplightError } from "keeplight";
import { sourceUnreadable } from "keeplight/parts";
import { createSyncer, createTemporaryPath, removeLeftOver, syncFolder, withWriteErrors } from "keeplight/parts/node";
import { type Entry, type FileEntry, type FolderEntry, isBelow, type LinkEntry } from "./entries.ts";

/**
 * Writes a file under a temporary name, and renames it once its bytes are the right ones, on the disk, with its mode and time.
 * A file that has those bytes already stays. Returns whether it was written.
 *
 * @param overwrite - whether files and links that are something else are replaced
 * @param refuse - throws for a file that has other bytes than its entry says
 * @throws `FILE_EXISTS`, `CANNOT_WRITE`; what the content throws
 */
export async function restoreFile(
  place: string,
  entry: FileEntry,
  content: () => AsyncIterable<Uint8Array>,
  { overwrite, refuse }: { overwrite: boolean; refuse(entry: FileEntry): never },
): Promise<boolean> {
  const found = await find(place);
  if (found?.isFile() && found.size === entry.size && (await hashFile(place)) === entry.sha256) {
    await withWriteErrors(place, () => setFacts(place, entry));
    return false;
  }
  refuseOther(place, found, overwrite);
  const temporary = createTemporaryPath(dirname(place));
  const handle = await withWriteErrors(place, () => open(temporary, "wx", 0o600));
  try {
    const hash = createHash("sha256");
    try {
      let size = 0;
      for await (const chunk of content()) {
        size += chunk.length;
        if (size > entry.size) refuse(entry);
        hash.update(chunk);
        await withWriteErrors(place, () => handle.appendFile(chunk));
      }
      if (size !== entry.size || hash.digest("hex") !== entry.sha256) refuse(entry);
      await withWriteErrors(place, () => createSyncer(handle).finish());
    } finally {
      await handle.close();
    }
    await withWriteErrors(place, async () => {
      await setFacts(temporary, entry);
      await rename(temporary, place);
    });
    return true;
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** Creates a symbolic link, unless it is there. Returns whether it was created; throws `FILE_EXISTS`, `CANNOT_WRITE`. */
export async function restoreLink(place: string, { target }: LinkEntry, overwrite: boolean): Promise<boolean> {
  const found = await find(place);
  if (found?.isSymbolicLink() && (await withWriteErrors(place, () => readlink(place))) === target) return false;
  refuseOther(place, found, overwrite);
  const temporary = createTemporaryPath(dirname(place));
  await withWriteErrors(place, async () => {
    await symlink(target, temporary);
    await rename(temporary, place);
  });
  return true;
}

async function find(place: string): Promise<Stats | undefined> {
  return lstat(place).catch(() => undefined);
}

/** A folder is never replaced, nor anything that is no file. */
function refuseOther(place: string, found: Stats | undefined, overwrite: boolean): void {
  if (found && !(overwrite && (found.isFile() || found.isSymbolicLink()))) throw fileExists(place);
}

/** Something else is where an entry of a snapshot belongs. */
function fileExists(path: string): KeeplightError {
  return new KeeplightError("FILE_EXISTS", `Something else is at ${path}`, { details: { path } });
}

/** Sets the mode of a file or folder, and when it was changed, in milliseconds since 1970. */
async function setFacts(place: string, { mode, mtime }: Pick<FileEntry, "mode" | "mtime">): Promise<void> {
  // Binary fractions of seconds would round some of them down to the millisecond before; Node takes negative ones for now.
  const time = mtime < 0 ? new Date(mtime) : (mtime + 0.001) / 1_000;
  await utimes(place, time, time);
  await chmod(place, mode);
}

async function hashFile(place: string): Promise<string> {
  const hash = createHash("sha256");
  try {
    for await (const chunk of createReadStream(place)) hash.update(chunk);
  } catch (error) {
    throw sourceUnreadable(place, error);
  }
  return hash.digest("hex");
}

/**
 * Creates the folders above each entry, as entries arrive in their order, and the entry itself if it is one. None of them is
 * followed if it is a link: nothing is written outside the root.
 */
export async function createFolders(root: string): Promise<(entry: Entry) => Promise<void>> {
  await enter(root, true);
  /** Path of the folder that was checked last: those above it are, too. */
  let checked = "";

  return async ({ path, kind }) => {
    const folder = kind === "folder" ? path : path.slice(0, Math.max(path.lastIndexOf("/"), 0));
    if (folder === checked || folder === "") return;
    const names = folder.split("/");
    for (let depth = 1; depth <= names.length; depth++) {
      const each = names.slice(0, depth).join("/");
      if (each === checked || isBelow(checked, each)) continue;
      await enter(join(root, each), false);
    }
    checked = folder;
  };
}

/** Creates a folder unless it is there, and removes what a restore that was killed has left in it. */
async function enter(place: string, isRoot: boolean): Promise<void> {
  // The root is the caller's choice.
  const found = await (isRoot ? stat(place) : lstat(place)).catch(() => undefined);
  if (found && !found.isDirectory()) throw fileExists(place);
  await withWriteErrors(place, async () => {
    if (found) await removeLeftOver(place);
    else await mkdir(place, { recursive: true, mode: 0o700 });
  });
}

/**
 * Sets the modes and times of folders once everything is in them, each after those in it: a folder may be read-only then.
 *
 * @param isRestored - whether an entry is there
 */
export async function completeFolders(
  root: string,
  entries: AsyncIterable<Entry>,
  isRestored: (entry: Entry) => boolean,
): Promise<void> {
  const open: FolderEntry[] = [];

  async function leave({ path, mode, mtime }: FolderEntry): Promise<void> {
    const place = join(root, path);
    await withWriteErrors(place, async () => {
      await syncFolder(place);
      await setFacts(place, { mode, mtime });
    });
  }

  for await (const entry of entries) {
    for (let last = open.at(-1); last && !isBelow(entry.path, last.path); last = open.at(-1)) {
      await leave(last);
      open.pop();
    }
    if (entry.kind === "folder" && isRestored(entry)) open.push(entry);
  }
  for (let last = open.pop(); last; last = open.pop()) await leave(last);
  await syncFolder(root);
}
