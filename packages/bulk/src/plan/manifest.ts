import { type FileHandle, open } from "node:fs/promises";
import { invalidSource } from "keeplight/parts";
import { withWriteErrors } from "keeplight/parts/node";
import { checkFile } from "./check-file.ts";
import { MAX_LINE_BYTES, readTextLines } from "./text-lines.ts";
import type { BulkFile } from "./types.ts";

/** Bytes that are collected before they are written. */
const WRITE_BYTES = 64 * 1024;

/**
 * Yields the files of a manifest in its order. Empty lines, and a byte order mark, are ignored. Throws `SOURCE_UNREADABLE`,
 * `INVALID_SOURCE`, which names the line.
 */
export async function* readManifest(path: string): AsyncGenerator<BulkFile> {
  let number = 0;
  for await (const line of readTextLines(path)) {
    const text = ++number === 1 && line.startsWith(BYTE_ORDER_MARK) ? line.slice(1) : line;
    if (text.trim() !== "") yield parseLine(text, number);
  }
}

const BYTE_ORDER_MARK = "\uFEFF";

function parseLine(line: string, number: number): BulkFile {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw invalidSource(`line ${number} of the manifest is not JSON`);
  }
  return checkFile(value, number);
}

/** Adds files to a manifest. */
export interface ManifestWriter {
  /** Path of the last file that an earlier process has added, if any. */
  readonly last: string | undefined;
  add(file: BulkFile): Promise<void>;
  /** Reads all of it to find out whether it has a path. */
  has(path: string): Promise<boolean>;
  /** Removes all files. */
  clear(): Promise<void>;
  /** Writes what is left, durably, and closes the file. */
  finish(): Promise<void>;
  /** Closes the file; what was added last may be missing. */
  close(): Promise<void>;
}

/**
 * Opens a manifest to add files, or creates it with mode 0600. A line that was cut off when a process ended is removed.
 *
 * @throws `CANNOT_WRITE`
 */
export async function openManifest(path: string): Promise<ManifestWriter> {
  const handle = await withWriteErrors(path, () => open(path, "a+", 0o600));
  try {
    return createWriter(handle, path, await withWriteErrors(path, () => cutLastLine(handle)));
  } catch (error) {
    await handle.close();
    throw error;
  }
}

function createWriter(handle: FileHandle, path: string, last: string | undefined): ManifestWriter {
  let lines: string[] = [];
  let collected = 0;

  async function flush(): Promise<void> {
    const text = lines.join("");
    lines = [];
    collected = 0;
    if (text !== "") await withWriteErrors(path, () => handle.appendFile(text));
  }

  return {
    last,
    async add(file) {
      const line = `${JSON.stringify(file)}\n`;
      lines.push(line);
      collected += line.length;
      if (collected >= WRITE_BYTES) await flush();
    },
    async has(searched) {
      await flush();
      for await (const file of readManifest(path)) if (file.path === searched) return true;
      return false;
    },
    async clear() {
      lines = [];
      collected = 0;
      await withWriteErrors(path, () => handle.truncate(0));
    },
    async finish() {
      await flush();
      await withWriteErrors(path, () => handle.sync());
      await handle.close();
    },
    close: () => handle.close(),
  };
}

/** Cuts a manifest behind its last complete line, and returns the path in that line. */
async function cutLastLine(handle: FileHandle): Promise<string | undefined> {
  const { size } = await handle.stat();
  const from = Math.max(0, size - 2 * MAX_LINE_BYTES);
  const tail = new Uint8Array(size - from);
  await handle.read(tail, 0, tail.length, from);
  for (let end = tail.lastIndexOf(NEWLINE); end >= 0; end = tail.lastIndexOf(NEWLINE, end - 1)) {
    const start = end === 0 ? 0 : tail.lastIndexOf(NEWLINE, end - 1) + 1;
    const path = tryPath(new TextDecoder().decode(tail.subarray(start, end)));
    if (path !== undefined) {
      if (from + end + 1 < size) await handle.truncate(from + end + 1);
      return path;
    }
    // After a power cut the end of a file may be anything.
    if (end === 0) break;
  }
  await handle.truncate(0);
  return undefined;
}

const NEWLINE = 10;

function tryPath(line: string): string | undefined {
  try {
    return parseLine(line, 0).path;
  } catch {
    return undefined;
  }
}
