import type { Stats } from "node:fs";
import { chmod, link, lstat, lutimes, mkdir, readlink, rename, stat, symlink, utimes } from "node:fs/promises";
import { dirname, join } from "node:path";
import { KeeplightError } from "keeplight";
import { createTemporaryPath, removeLeftOver, syncFolder, withWriteErrors } from "keeplight/parts/node";
import { type Entry, type FolderEntry, isBelow, type LinkEntry, RUN_AS } from "./entries.ts";

/** Creates a symbolic link, unless it is there. Returns whether it was created; throws `FILE_EXISTS`, `CANNOT_WRITE`. */
export async function restoreLink(place: string, { target, mtime }: LinkEntry, overwrite: boolean): Promise<boolean> {
  const found = await findPlace(place);
  const isThere = found?.isSymbolicLink() && (await withWriteErrors(place, () => readlink(place))) === target;
  if (!isThere) {
    refuseOther(place, found, overwrite);
    const temporary = createTemporaryPath(dirname(place));
    await withWriteErrors(place, async () => {
      await symlink(target, temporary);
      await rename(temporary, place);
    });
  }
  if (mtime !== undefined) await withWriteErrors(place, () => lutimes(place, toTime(mtime), toTime(mtime)));
  return !isThere;
}

/** Creates another name of a file, unless it is there. Throws `FILE_EXISTS`, `CANNOT_WRITE`. */
export async function restoreName(place: string, file: string, overwrite: boolean): Promise<void> {
  const [found, target] = await Promise.all([findPlace(place), findPlace(file)]);
  if (found && target && found.ino === target.ino && found.dev === target.dev) return;
  refuseOther(place, found, overwrite);
  const temporary = createTemporaryPath(dirname(place));
  await withWriteErrors(place, async () => {
    await link(file, temporary);
    await rename(temporary, place);
  });
}

export async function findPlace(place: string): Promise<Stats | undefined> {
  return lstat(place).catch(() => undefined);
}

/** A folder is never replaced, nor anything that is no file. */
export function refuseOther(place: string, found: Stats | undefined, overwrite: boolean): void {
  if (found && !(overwrite && (found.isFile() || found.isSymbolicLink()))) throw fileExists(place);
}

/** Something else is where an entry of a snapshot belongs. */
function fileExists(path: string): KeeplightError {
  return new KeeplightError("FILE_EXISTS", `Something else is at ${path}`, { details: { path } });
}

/** What a mode and a time are set by. */
interface Facts {
  mode: number;
  /** Milliseconds since 1970. */
  mtime: number;
  uid?: number;
  gid?: number;
}

/**
 * Sets the mode of a file or folder, and when it was changed. A file runs as its owner or group only if those are who they were:
 * what anybody had made would run as the one who restores it.
 */
export async function setFacts(place: string, { mode, mtime, uid, gid }: Facts): Promise<void> {
  await utimes(place, toTime(mtime), toTime(mtime));
  await chmod(place, (await keepsRunAs(place, { mode, uid, gid })) ? mode : mode & ~RUN_AS);
}

/** Whether a file may keep the bits of its mode that say who it runs as. */
export async function keepsRunAs(
  place: string,
  { mode, uid, gid }: { mode: number; uid?: number | undefined; gid?: number | undefined },
): Promise<boolean> {
  if ((mode & RUN_AS) === 0) return true;
  const found = await stat(place);
  // A folder with such a bit passes its group on, and runs nothing.
  return found.isDirectory() || (found.uid === uid && found.gid === gid);
}

/** Binary fractions of seconds would round some of them down to the millisecond before; Node takes negative ones for now. */
const toTime = (mtime: number) => (mtime < 0 ? new Date(mtime) : (mtime + 0.001) / 1_000);

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
  for (const last of open.reverse()) await leave(last);
  await syncFolder(root);
}
