import { createHash } from "node:crypto";
import { open, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type DecryptOptions, decrypt, isKeeplightError, type StorageClass, type ToPath } from "keeplight";
import { checkCid, pickOptions, resolveOptions, uploadEncryptedSchema, uploadKeysFirst } from "keeplight/parts";
import { createTemporaryPath, withWriteErrors } from "keeplight/parts/node";
import { readLines, writeLines } from "../json-lines.ts";
import type { ResolvedAccount } from "./backup-options.ts";
import type { BackupSet, StoredSnapshot } from "./backup-set.ts";
import { comparePaths, type Entry, isBelow, type KnownEntry } from "./entries.ts";
import { snapshotSchema } from "./get-snapshot.ts";
import {
  invalidSnapshot,
  parseEntry,
  parseHeader,
  type SnapshotHeader,
  toHeaderLine,
  toSnapshotName,
} from "./snapshot-format.ts";

/**
 * Encrypts and stores what an index lists, unless the last snapshot has exactly that.
 *
 * @param folder - of the state, for a temporary file
 * @throws what `uploadKeysFirst` throws
 */
export async function storeSnapshot(
  { id, name, encryption, snapshots }: BackupSet,
  {
    folder,
    index,
    account,
    storage,
  }: {
    folder: string;
    index: string;
    account: ResolvedAccount;
    storage: StorageClass | undefined;
  },
): Promise<StoredSnapshot> {
  const path = join(folder, "snapshot.jsonl");
  try {
    const { digest, ...counts } = await writeEntries(path, index);
    const last = snapshots.at(-1);
    if (last?.digest === digest) return last;
    const createdAt = Math.max(Date.now(), (last?.createdAt ?? 0) + 1);
    const header = { set: id, name, createdAt, ...counts, ...(encryption ? { key: encryption.key } : {}) };
    await writeHeader(path, header);
    const upload = { ...account, storage, name: toSnapshotName(id, createdAt) };
    const stored = await uploadKeysFirst(path, resolveOptions(uploadEncryptedSchema, upload));
    return { cid: stored.Hash, createdAt, ...counts, digest };
  } finally {
    // It has the key of all files.
    await rm(path, { force: true });
  }
}

/** Writes the entries of a snapshot, with room for its header, which their number is part of. */
async function writeEntries(path: string, index: string) {
  const hash = createHash("sha256");
  const counts = { files: 0, bytes: 0 };

  async function* list(): AsyncGenerator<object> {
    yield { type: " ".repeat(HEADER_BYTES - JSON.stringify({ type: "" }).length - 1) };
    for await (const entry of listStoredEntries(index)) {
      hash.update(`${JSON.stringify(entry)}\n`);
      if (entry.kind === "file") {
        counts.files++;
        counts.bytes += entry.size;
      }
      yield entry;
    }
  }

  await writeLines(path, list());
  return { ...counts, digest: hash.digest("hex") };
}

async function writeHeader(path: string, header: SnapshotHeader): Promise<void> {
  const line = new Uint8Array(HEADER_BYTES).fill(SPACE);
  line.set(new TextEncoder().encode(JSON.stringify(toHeaderLine(header))));
  line[HEADER_BYTES - 1] = NEWLINE;
  await withWriteErrors(path, async () => {
    const handle = await open(path, "r+");
    await handle.write(line, 0, line.length, 0).finally(() => handle.close());
  });
}

/** The room for a header, in bytes: a name has at most 255, six times as long if every byte is escaped. */
const HEADER_BYTES = 2_048;

const SPACE = 0x20;
const NEWLINE = 0x0a;

/** Yields what a snapshot says about the entries of an index: only what is stored. */
async function* listStoredEntries(index: string): AsyncGenerator<Entry> {
  for await (const line of readLines<KnownEntry>(index)) {
    if (line.kind !== "file") {
      yield line;
      continue;
    }
    const { state: _, before: __, ...entry } = line;
    if (entry.size === 0 || entry.cid !== undefined) yield entry;
  }
}

/** A snapshot that was downloaded, decrypted and authenticated. */
export interface OpenedSnapshot {
  cid: string;
  header: SnapshotHeader;
  /** Yields its entries, checked, in the order of paths; throws `INVALID_SNAPSHOT`. */
  list(): AsyncGenerator<Entry>;
}

/**
 * Runs work on a snapshot, which is in a temporary file meanwhile. All of it is checked first: it has the entries that its
 * header announces, no two with one path, and nothing below anything but a folder.
 *
 * @throws `INVALID_SNAPSHOT`; what `decrypt` throws
 */
export async function withSnapshot<T>(
  cid: string,
  options: Omit<ResolvedAccount, "apiKey">,
  work: (snapshot: OpenedSnapshot) => Promise<T>,
): Promise<T> {
  cid = checkCid(cid);
  // It has the key of all files: after a kill, the next call that writes there removes it.
  const path = createTemporaryPath(tmpdir());
  try {
    await withWriteErrors(path, () => writeFile(path, "", { flag: "wx", mode: 0o600 }));
    // Keeps the mode of what it replaces.
    await decrypt(cid, { ...pickOptions(options, snapshotSchema), to: path } as DecryptOptions & ToPath);
    const snapshot = { cid, header: await readHeader(cid, path), list: () => readEntries(cid, path) };
    await checkWhole(snapshot);
    return await work(snapshot);
  } finally {
    await rm(path, { force: true });
  }
}

/** Yields the lines of a decrypted file that may be anything. */
async function* readUntrusted(cid: string, path: string): AsyncGenerator<unknown> {
  try {
    yield* readLines<unknown>(path);
  } catch (error) {
    throw isKeeplightError(error, "INVALID_SOURCE") ? invalidSnapshot(cid, "it is another file, or damaged") : error;
  }
}

async function readHeader(cid: string, path: string): Promise<SnapshotHeader> {
  for await (const line of readUntrusted(cid, path)) return parseHeader(cid, line);
  throw invalidSnapshot(cid, "it is empty");
}

async function* readEntries(cid: string, path: string): AsyncGenerator<Entry> {
  let isHeader = true;
  let last: Entry | undefined;
  for await (const line of readUntrusted(cid, path)) {
    if (!isHeader) {
      const entry = parseEntry(cid, line);
      if (last) checkOrder(cid, last, entry);
      yield entry;
      last = entry;
    }
    isHeader = false;
  }
}

/** In this order everything in a folder directly follows it: so a look at the last entry is enough. */
function checkOrder(cid: string, last: Entry, { path }: Entry): void {
  const isInOrder = comparePaths(last.path, path) < 0;
  if (!isInOrder) throw invalidSnapshot(cid, "two entries have one path, or are not in order");
  const isBelowFile = last.kind !== "folder" && isBelow(path, last.path);
  if (isBelowFile) throw invalidSnapshot(cid, "an entry is below a file or a link");
}

async function checkWhole({ cid, header, list }: OpenedSnapshot): Promise<void> {
  let files = 0;
  let bytes = 0;
  for await (const entry of list()) {
    if (entry.kind !== "file") continue;
    files++;
    bytes += entry.size;
  }
  if (files !== header.files || bytes !== header.bytes) throw invalidSnapshot(cid, "it is incomplete");
}
