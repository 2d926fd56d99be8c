import { createHash } from "node:crypto";
import { dirname } from "node:path";
import { isKeeplightError } from "../../base/errors/base.ts";
import { journalDamaged } from "../../base/errors/journal.ts";
import { syncFolder } from "./durable.ts";
import { createDurably, eraseFile, removeFile, replaceFile } from "./journal-files.ts";

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
