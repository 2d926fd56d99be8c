import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, open, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { isKeeplightError } from "../../base/errors/base.ts";
import { sourceUnreadable } from "../../base/errors/input.ts";
import { journalDamaged } from "../../base/errors/journal.ts";
import { createDurably, eraseFile, removeFile, replaceFile, syncFolder } from "./durable-files.ts";

/** Opens a file for reading; throws, without waiting, for a pipe, a folder or a device. */
export async function openRegular(path: string, flags = 0): Promise<FileHandle> {
  // Opening a pipe would wait for a writer. Windows has no such flag.
  const { O_RDONLY, O_NONBLOCK = 0 } = constants;
  const handle = await open(path, O_RDONLY | O_NONBLOCK | flags);
  try {
    if ((await handle.stat()).isFile()) return handle;
    throw new Error("it is not a file");
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Reads a file whole; throws like {@link openRegular}. */
export async function readRegular(path: string): Promise<Uint8Array<ArrayBuffer>> {
  const handle = await openRegular(path);
  try {
    return new Uint8Array(await handle.readFile());
  } finally {
    await handle.close();
  }
}

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

/**
 * Reads a file of JSON that says which version of its format it has; `undefined` if there is no file.
 *
 * @param damaged - the error for a file that is malformed, or of another version
 * @throws `SOURCE_UNREADABLE`
 */
export async function readVersionedJson<Value extends object>(
  path: string,
  version: number,
  damaged: () => Error,
): Promise<Value | undefined> {
  let text: string;
  try {
    text = new TextDecoder().decode(await readRegular(path));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw sourceUnreadable(path, error);
  }
  const stored = tryJson(text) as (Value & { version: number }) | undefined | null;
  if (stored?.version !== version) throw damaged();
  const { version: _, ...value } = stored;
  return value as unknown as Value;
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

type Bytes = Uint8Array<ArrayBuffer>;

/** Bytes of the SHA-256 that a copy ends with, of all that precedes it. */
const HASH_BYTES = 32;

/** A small file that is kept twice, so that the damage or loss of one does no harm. */
export interface TwinFile {
  /** Returns its bytes, or `undefined` if neither file exists. Throws if neither is usable. */
  read(): Promise<Bytes | undefined>;
  /** Creates both files, durably, unless there is one. No other process may do so meanwhile. */
  create(bytes: Bytes): Promise<void>;
  /** Replaces both files, durably. */
  write(bytes: Uint8Array): Promise<void>;
  /** Whether both files are intact, or neither exists. */
  isWhole(): Promise<boolean>;
  /** Writes both files again if one is damaged or missing. */
  repair(): Promise<void>;
  /** Overwrites and removes both files, durably. */
  erase(): Promise<void>;
}

/**
 * Keeps a file at `path`, and a copy with a checksum at `path.copy`. The copy is written first: while it is intact, it has the
 * newest bytes.
 *
 * @param readFile - returns `undefined` if there is no file, or one that was erased. `JOURNAL_KEY_EXPOSED` of either file is thrown
 */
export function createTwinFile(path: string, readFile: (path: string) => Promise<Bytes | undefined>): TwinFile {
  const copyPath = `${path}.copy`;

  async function readBoth(): Promise<{ bytes: Bytes; isWhole: boolean } | undefined> {
    const [own, copy] = await Promise.allSettled([readFile(path), readFile(copyPath)]);
    for (const each of [own, copy]) {
      if (each.status === "rejected" && isKeeplightError(each.reason, "JOURNAL_KEY_EXPOSED")) throw each.reason;
    }
    const bytes = copy.status === "fulfilled" && copy.value ? removeHash(copy.value) : undefined;
    if (bytes) {
      const isWhole = own.status === "fulfilled" && own.value !== undefined && Buffer.compare(own.value, bytes) === 0;
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
    read,
    async create(bytes) {
      if (await read()) return;
      // What was erased, and is back after a power cut.
      for (const each of [copyPath, path]) await removeFile(each);
      await createDurably(copyPath, addHash(bytes));
      // Another process may have been faster.
      await createDurably(path, (await read()) ?? bytes);
    },
    write,
    isWhole: async () => (await readBoth())?.isWhole ?? true,
    async repair() {
      const both = await readBoth();
      if (both && !both.isWhole) await write(both.bytes);
    },
    async erase() {
      await eraseFile(copyPath);
      await eraseFile(path);
      await syncFolder(dirname(path));
    },
  };
}

function hash(bytes: Uint8Array): Buffer {
  return createHash("sha256").update(bytes).digest();
}

function addHash(bytes: Uint8Array): Uint8Array {
  return Buffer.concat([bytes, hash(bytes)]);
}

/** Returns what {@link addHash} was called with; `undefined` if a copy is damaged. */
function removeHash(copy: Bytes): Bytes | undefined {
  const bytes = copy.slice(0, -HASH_BYTES);
  return hash(bytes).equals(copy.subarray(-HASH_BYTES)) ? bytes : undefined;
}
