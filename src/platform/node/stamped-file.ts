import { stat } from "node:fs/promises";
import { readRegular } from "./regular-file.ts";

/** How long a stamp may stand for the bytes of a file, in milliseconds. */
const MAX_STAMP_AGE_MS = 5_000;

/** A small file that is only ever replaced as a whole. */
export interface StampedFile {
  /** Returns its bytes; reads them only if they may have changed. Throws the error of the system. */
  read(): Promise<Uint8Array<ArrayBuffer>>;
}

/** What a file is known to contain. */
export interface KnownBytes {
  stamp: string;
  bytes: Uint8Array<ArrayBuffer>;
}

/**
 * Reads a file by one `stat` for as long as that shows the same stamp as when its bytes were read: a file that replaced
 * it has another inode number, or was modified later. A network file system may return what it has cached instead, for
 * some seconds up to a minute, and notices a change when a file is opened: so the file is read again if that was long
 * ago, as it always is after a process or a machine was suspended.
 *
 * @param known - its bytes, by the one that wrote them just now
 */
export function createStampedFile(path: string, known?: KnownBytes): StampedFile {
  let last = known && { ...known, readAt: Date.now() };
  return {
    async read() {
      // Taken before the bytes: of two different versions, the stamp is that of the earlier one.
      const stamp = await readStamp(path);
      const isRecent = last !== undefined && Math.abs(Date.now() - last.readAt) < MAX_STAMP_AGE_MS;
      if (last && isRecent && last.stamp === stamp) return last.bytes;
      const readAt = Date.now();
      const bytes = await readRegular(path);
      last = { stamp, bytes, readAt };
      return bytes;
    },
  };
}

/** Identifies a file and its bytes; links and renames do not change it. */
export async function readStamp(path: string): Promise<string> {
  const { dev, ino, size, mtimeNs } = await stat(path, { bigint: true });
  return `${dev} ${ino} ${size} ${mtimeNs}`;
}
