import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { type FileHandle, open, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { decrypt } from "keeplight";
import { checkCid, createFileCipher } from "keeplight/parts";
import { createTemporaryPath, withWriteErrors } from "keeplight/parts/node";
import { checkOrder, type Entry } from "../entries.ts";
import { invalidBackup } from "../invalid-backup.ts";
import { parseLines } from "../lines.ts";
import { type ResolvedRead, toFileOptions } from "../options.ts";
import { openStored } from "../remote.ts";
import type { FileContent, SnapshotReader } from "../snapshot-reader.ts";
import { type FirstHeader, parseFirstEntry, parseFirstHeader } from "./parse-first.ts";

/**
 * Downloads and decrypts a snapshot of the first format into a temporary file, and checks all of it: it has the entries that its
 * header announces, no two with one path, and nothing below anything but a folder.
 *
 * @throws `INVALID_SNAPSHOT`; what `decrypt` throws
 */
export async function openFirstReader(cid: string, options: ResolvedRead): Promise<SnapshotReader> {
  cid = checkCid(cid);
  // It has the key of all files.
  const path = createTemporaryPath(tmpdir());
  let file: FileHandle;
  try {
    await withWriteErrors(path, () => writeFile(path, "", { flag: "wx", mode: 0o600 }));
    // Keeps the mode of what it replaces.
    await decrypt(cid, { ...toFileOptions(cid, options), to: path });
    file = await withWriteErrors(path, () => open(path, "r"));
  } finally {
    // Without a name it is gone with this process, however that ends.
    await rm(path, { force: true });
  }
  try {
    const header = await readHeader(cid, file);
    await checkWhole(cid, header, readEntries(cid, file));
    const content = createWholeContent(cid, header, options);
    return { list: () => readEntries(cid, file), content, close: () => file.close() };
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** The longest line, in bytes: two paths of 4 KiB, six times as long if every byte is escaped, and some facts. */
const MAX_LINE_BYTES = 64 * 1024;

/** Yields the lines of a decrypted file that may be anything. */
async function* readUntrusted(cid: string, file: FileHandle): AsyncGenerator<unknown> {
  try {
    yield* parseLines(readChunks(file), MAX_LINE_BYTES);
  } catch (error) {
    throw error instanceof SyntaxError ? invalidBackup(cid, "it is another file, or damaged") : error;
  }
}

const CHUNK_BYTES = 64 * 1024;

async function* readChunks(file: FileHandle): AsyncGenerator<Uint8Array> {
  for (let at = 0; ; ) {
    const { buffer, bytesRead } = await file.read(new Uint8Array(CHUNK_BYTES), 0, CHUNK_BYTES, at);
    if (bytesRead === 0) return;
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

async function readHeader(cid: string, file: FileHandle): Promise<FirstHeader> {
  for await (const line of readUntrusted(cid, file)) return parseFirstHeader(cid, line);
  throw invalidBackup(cid, "it is empty");
}

async function* readEntries(cid: string, file: FileHandle): AsyncGenerator<Entry> {
  let isHeader = true;
  let last: Entry | undefined;
  for await (const line of readUntrusted(cid, file)) {
    if (!isHeader) {
      const entry = parseFirstEntry(cid, line);
      if (last) checkOrder(cid, last, entry);
      yield entry;
      last = entry;
    }
    isHeader = false;
  }
}

async function checkWhole(cid: string, header: FirstHeader, entries: AsyncIterable<Entry>): Promise<void> {
  let files = 0;
  let bytes = 0;
  for await (const entry of entries) {
    if (entry.kind !== "file") continue;
    files++;
    bytes += entry.size;
  }
  if (files !== header.files || bytes !== header.bytes) throw invalidBackup(cid, "it is incomplete");
}

/** Files that are stored whole, each compared with its SHA-256 once its last byte was read. */
function createWholeContent(snapshot: string, { key }: FirstHeader, call: ResolvedRead): FileContent {
  const cipher = key === undefined ? undefined : createFileCipher(key);
  return {
    async isIn(place, { chunks: [sha256] }) {
      const hash = createHash("sha256");
      try {
        for await (const chunk of createReadStream(place)) hash.update(chunk);
      } catch {
        return false;
      }
      return hash.digest("hex") === sha256;
    },
    async *read({ path, size, chunks: [sha256], cid }, signal) {
      const hash = createHash("sha256");
      let read = 0;
      const file = cid === undefined ? undefined : await openStored(cid, { ...call, signal });
      const stored = file?.stream();
      for await (const chunk of stored && cipher ? cipher.decrypt(stored) : (stored ?? [])) {
        read += chunk.length;
        if (read > size) break;
        hash.update(chunk);
        yield chunk;
      }
      if (read !== size || hash.digest("hex") !== sha256)
        throw invalidBackup(snapshot, `${path} is stored with other bytes`);
    },
  };
}
