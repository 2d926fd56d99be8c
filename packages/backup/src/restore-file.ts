import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { createSyncer, createTemporaryPath, withWriteErrors } from "keeplight/parts/node";
import type { FileEntry } from "./entries.ts";
import { findPlace, refuseOther, setFacts } from "./restore-entries.ts";
import type { FileContent } from "./snapshot-reader.ts";

/** Runs of zeros are looked for in blocks of this size, which file systems have. */
const HOLE_BYTES = 4_096;
const ZEROS = Buffer.alloc(HOLE_BYTES);

/** Settles once what was renamed so far is in its place. */
let renamed: Promise<void> = Promise.resolve();

/**
 * Writes a file under a temporary name, and renames it once it is on the disk, with its mode and time. A file that has those
 * bytes already stays. Returns whether it was written.
 *
 * @param overwrite - whether files and links that are something else are replaced
 * @param signal - of the restore
 * @throws `FILE_EXISTS`, `CANNOT_WRITE`; what the content throws
 */
export async function restoreFile(
  place: string,
  entry: FileEntry,
  content: FileContent,
  overwrite: boolean,
  signal: AbortSignal,
): Promise<boolean> {
  const found = await findPlace(place);
  const isThere = found?.isFile() && found.size === entry.size && (await content.isIn(place, entry));
  if (isThere) {
    await withWriteErrors(place, () => setFacts(place, entry));
    return false;
  }
  refuseOther(place, found, overwrite);
  const temporary = createTemporaryPath(dirname(place));
  const handle = await withWriteErrors(place, () => open(temporary, "wx", 0o600));
  try {
    try {
      let at = 0;
      for await (const chunk of content.read(entry, signal)) {
        await withWriteErrors(place, () => writeAt(handle, chunk, at, entry.isSparse === true));
        at += chunk.length;
      }
      await withWriteErrors(place, async () => {
        if (entry.isSparse) await handle.truncate(entry.size);
        await createSyncer(handle).finish();
      });
    } finally {
      await handle.close();
    }
    await withWriteErrors(place, () => setFacts(temporary, entry));
    // Where case does not count, another name of the snapshot may be there by now; none gets there between these two.
    const moved = renamed.then(async () => {
      refuseOther(place, await findPlace(place), overwrite);
      await withWriteErrors(place, () => rename(temporary, place));
    });
    renamed = moved.catch(() => undefined);
    await moved;
    return true;
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

async function writeAt(handle: FileHandle, bytes: Uint8Array, at: number, isSparse: boolean): Promise<void> {
  if (!isSparse) return writeAll(handle, bytes, at);
  // Blocks of the file, not of the chunk.
  let start = 0;
  let from = 0;
  while (from < bytes.length) {
    const end = Math.min(bytes.length, from + HOLE_BYTES - ((at + from) % HOLE_BYTES));
    const isHole = ZEROS.subarray(0, end - from).equals(bytes.subarray(from, end));
    if (isHole) {
      if (from > start) await writeAll(handle, bytes.subarray(start, from), at + start);
      start = end;
    }
    from = end;
  }
  if (from > start) await writeAll(handle, bytes.subarray(start, from), at + start);
}

async function writeAll(handle: FileHandle, bytes: Uint8Array, at: number): Promise<void> {
  for (let written = 0; written < bytes.length; ) {
    const { bytesWritten } = await handle.write(bytes, written, bytes.length - written, at + written);
    written += bytesWritten;
  }
}
