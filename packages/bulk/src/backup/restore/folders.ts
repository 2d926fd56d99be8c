import { chmod, lstat, mkdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { cannotWrite } from "keeplight/parts";
import { removeLeftOver, syncFolder } from "keeplight/parts/node";
import { isBelow } from "../entries/compare-paths.ts";
import type { Entry, FolderEntry } from "../entries/types.ts";
import { fileExists } from "../errors.ts";
import { setTime } from "./restore-file.ts";

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
  try {
    if (found) await removeLeftOver(place);
    else await mkdir(place, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw cannotWrite(place, error);
  }
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
    try {
      await syncFolder(place);
      await setTime(place, mtime);
      await chmod(place, mode);
    } catch (error) {
      throw cannotWrite(place, error);
    }
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
