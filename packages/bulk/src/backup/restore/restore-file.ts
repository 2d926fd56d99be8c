import { createHash } from "node:crypto";
import { createReadStream, type Stats } from "node:fs";
import { chmod, lstat, open, readlink, rename, rm, symlink, utimes } from "node:fs/promises";
import { dirname } from "node:path";
import { sourceUnreadable } from "keeplight/parts";
import { createSyncer, createTemporaryPath, withWriteErrors } from "keeplight/parts/node";
import type { FileEntry, LinkEntry } from "../entries/types.ts";
import { fileExists } from "../errors.ts";

/** How entries are written. */
export interface WriteOptions {
  /** Replace files and links that are something else. */
  overwrite: boolean;
  /** Throws if a file has other bytes than its entry says. */
  refuse(entry: FileEntry): never;
}

/**
 * Writes a file under a temporary name, and renames it once its bytes are the right ones, on the disk, with its mode and time.
 * A file that has those bytes already stays.
 *
 * @returns whether it was written
 * @throws `FILE_EXISTS`, `CANNOT_WRITE`; what the content throws
 */
export async function restoreFile(
  place: string,
  entry: FileEntry,
  content: () => AsyncIterable<Uint8Array>,
  { overwrite, refuse }: WriteOptions,
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

async function setFacts(place: string, { mode, mtime }: FileEntry): Promise<void> {
  await setTime(place, mtime);
  await chmod(place, mode);
}

/** Sets when a file or folder was changed, in milliseconds since 1970. */
export async function setTime(place: string, mtime: number): Promise<void> {
  // Binary fractions of seconds would round some of them down to the millisecond before; Node takes negative ones for now.
  const time = mtime < 0 ? new Date(mtime) : (mtime + 0.001) / 1_000;
  await utimes(place, time, time);
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
