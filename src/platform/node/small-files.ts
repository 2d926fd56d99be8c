import type { Stats } from "node:fs";
import { stat } from "node:fs/promises";
import { dirname } from "node:path";
import { isKeeplightError } from "../../base/errors/base.ts";
import { journalDamaged } from "../../base/errors/journal.ts";
import { equalBytes } from "../../base/streams/bytes.ts";
import { sha256 } from "./crypto.ts";
import { createDurably, eraseFile, removeFile, replaceFile, syncFolder, unlessMissing } from "./durable-files.ts";
import { openUnblocked, withReadErrors } from "./files.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/** Reads a file whole, after a check of the open file; throws, without waiting, for a pipe, a folder or a device. */
export async function readRegular(path: string, flags = 0, check?: (stats: Stats) => void): Promise<Bytes> {
  const handle = await openUnblocked(path, flags);
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) throw new Error("it is not a file");
    check?.(stats);
    return new Uint8Array(await handle.readFile());
  } finally {
    await handle.close();
  }
}

/** How long a stamp may stand for the bytes of a file, in milliseconds. */
const MAX_STAMP_AGE_MS = 5_000;

/**
 * Returns what reads a small file that is only ever replaced as a whole. It reads a file by one `stat` for as long as that
 * shows the same stamp as when its bytes were read: a file that replaced it has another inode number, or was modified later.
 * A network file system may return what it has cached instead, for some seconds up to a minute, and notices a change when a
 * file is opened: so the file is read again if that was long ago, as it always is after a process or a machine was suspended.
 * It throws the error of the system.
 *
 * @param known - its bytes, by the one that wrote them just now
 */
export function createStampedReader(path: string, known?: { stamp: string; bytes: Bytes }): () => Promise<Bytes> {
  let last = known && { ...known, readAt: Date.now() };
  return async () => {
    // Taken before the bytes: of two different versions, the stamp is that of the earlier one.
    const stamp = await readStamp(path);
    const readAt = Date.now();
    const isRecent = last !== undefined && Math.abs(readAt - last.readAt) < MAX_STAMP_AGE_MS;
    if (last?.stamp !== stamp || !isRecent) last = { stamp, bytes: await readRegular(path), readAt };
    return last.bytes;
  };
}

/** Identifies a file and its bytes; links and renames do not change it. */
export async function readStamp(path: string): Promise<string> {
  const { dev, ino, size, mtimeNs } = await stat(path, { bigint: true });
  return `${dev} ${ino} ${size} ${mtimeNs}`;
}

/**
 * Reads a file of JSON that says which version of its format it has; `undefined` if there is no file.
 *
 * @param damaged - the error for a file that is malformed, or of another version
 * @throws `SOURCE_UNREADABLE`
 */
export async function readVersionedJson<Value extends object>(path: string, version: number, damaged: () => Error) {
  const bytes = await withReadErrors(path, unlessMissing(readRegular(path)));
  if (!bytes) return undefined;
  const stored = tryJson(bytes) as (Value & { version: number }) | undefined | null;
  if (stored?.version !== version) throw damaged();
  const { version: _, ...value } = stored;
  return value as unknown as Value;
}

/** Parses a file that is JSON; returns `undefined` if it is malformed. */
export function tryJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}

/** Bytes of the SHA-256 that a copy ends with, of all that precedes it. */
const HASH_BYTES = 32;

/**
 * Keeps a small file twice, so that the damage or loss of one does no harm: at `path`, and a copy with a checksum at
 * `path.copy`. The copy is written first: while it is intact, it has the newest bytes.
 *
 * @param readFile - returns `undefined` if there is no file, or one that was erased. `JOURNAL_KEY_EXPOSED` of either file is thrown
 */
export function createTwinFile(path: string, readFile: (path: string) => Promise<Bytes | undefined>) {
  const copyPath = `${path}.copy`;

  async function readBoth(): Promise<{ bytes: Bytes; isWhole: boolean } | undefined> {
    const [own, copy] = await Promise.allSettled([readFile(path), readFile(copyPath)]);
    for (const each of [own, copy]) {
      if (each.status === "rejected" && isKeeplightError(each.reason, "JOURNAL_KEY_EXPOSED")) throw each.reason;
    }
    const bytes = copy.status === "fulfilled" && copy.value ? removeHash(copy.value) : undefined;
    if (bytes) {
      const isWhole = own.status === "fulfilled" && !!own.value && equalBytes(own.value, bytes);
      return { bytes, isWhole };
    }
    if (own.status === "rejected") throw own.reason;
    if (own.value) return { bytes: own.value, isWhole: false };
    if (copy.status === "rejected") throw copy.reason;
    if (copy.value) throw journalDamaged(copyPath);
    return undefined;
  }

  const read = async () => (await readBoth())?.bytes;

  async function write(bytes: Uint8Array): Promise<void> {
    await replaceFile(copyPath, addHash(bytes), { durable: true });
    await replaceFile(path, bytes, { durable: true });
  }

  return {
    /** Returns its bytes, or `undefined` if neither file exists. Throws if neither is usable. */
    read,
    /** Creates both files, durably, unless there is one. No other process may do so meanwhile. */
    async create(bytes: Bytes): Promise<void> {
      if (await read()) return;
      // What was erased, and is back after a power cut.
      for (const each of [copyPath, path]) await removeFile(each);
      await createDurably(copyPath, addHash(bytes));
      // Another process may have been faster.
      await createDurably(path, (await read()) ?? bytes);
    },
    /** Replaces both files, durably. */
    write,
    /** Whether both files are intact, or neither exists. */
    isWhole: async () => (await readBoth())?.isWhole ?? true,
    /** Writes both files again if one is damaged or missing. */
    async repair(): Promise<void> {
      const both = await readBoth();
      if (both && !both.isWhole) await write(both.bytes);
    },
    /** Overwrites and removes both files, durably. */
    async erase(): Promise<void> {
      await eraseFile(copyPath);
      await eraseFile(path);
      await syncFolder(dirname(path));
    },
  };
}

function addHash(bytes: Uint8Array): Uint8Array {
  return Buffer.concat([bytes, sha256(bytes)]);
}

/** Returns what {@link addHash} was called with; `undefined` if a copy is damaged. */
function removeHash(copy: Bytes): Bytes | undefined {
  const bytes = copy.slice(0, -HASH_BYTES);
  return equalBytes(sha256(bytes), copy.subarray(-HASH_BYTES)) ? bytes : undefined;
}
