import { createReadStream } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { platform } from "node:process";
import { invalidSource, sourceUnreadable } from "keeplight/parts";
import { withWriteErrors } from "keeplight/parts/node";
import type { BulkFile } from "./plan.ts";

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

/**
 * Checks one file of a listing, which comes from outside; throws `INVALID_SOURCE`.
 *
 * @param line - of the manifest that has it, from 1. Default none
 */
export function checkFile(value: unknown, line?: number): BulkFile {
  if (typeof value !== "object" || value === null) throw badFile("a file of the listing is no object", line);
  const { path, size, mtime, sha256 } = value as Record<string, unknown>;
  if (
    typeof path !== "string" ||
    BAD_PART.test(path) ||
    UNPRINTABLE.test(path) ||
    // There it separates folders.
    (platform === "win32" && path.includes("\\"))
  ) {
    throw badFile(
      "a path of the listing is empty, or has an empty, '.' or '..' part, a NUL, half a character, or a backslash (on Windows)",
      line,
      String(path),
    );
  }
  if (!isWhole(size)) throw badFile(`the size of ${path} is no whole number of bytes`, line, path);
  // Before 1970 it is negative.
  if (mtime !== undefined && !Number.isSafeInteger(mtime)) {
    throw badFile(`the mtime of ${path} is no whole number of milliseconds`, line, path);
  }
  if (sha256 !== undefined && !(typeof sha256 === "string" && /^[0-9a-f]{64}$/i.test(sha256))) {
    throw badFile(`the sha256 of ${path} is not 64 hex digits`, line, path);
  }
  return {
    path,
    size,
    ...(mtime === undefined ? {} : { mtime: mtime as number }),
    ...(sha256 === undefined ? {} : { sha256: sha256.toLowerCase() }),
  };
}

function badFile(problem: string, line: number | undefined, name?: string): Error {
  const place = line === undefined ? "" : ` (line ${line} of the manifest)`;
  return invalidSource(`${problem}${place}`, name === undefined ? {} : { name });
}

function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** Parts that are empty, `.` or `..`. */
const BAD_PART = /(^|\/)\.{0,2}(\/|$)/;

/** No database keeps NULs, or lone surrogates. */
const UNPRINTABLE = /[\0\uD800-\uDFFF]/u;

/** The longest line that is read, in bytes: a path has at most 4 KiB, six times as long if every byte is escaped. */
const MAX_LINE_BYTES = 64 * 1024;

/** Yields the lines of a file, and what is behind the last one, if anything. Throws `SOURCE_UNREADABLE`, `INVALID_SOURCE`. */
export async function* readTextLines(path: string): AsyncGenerator<string> {
  let rest = "";
  let count = 0;
  const stream = createReadStream(path, { encoding: "utf8", highWaterMark: MAX_LINE_BYTES });
  try {
    for await (const chunk of stream) {
      const lines = (rest + chunk).split("\n");
      rest = lines.pop() ?? "";
      count += lines.length;
      yield* lines;
      if (rest.length > MAX_LINE_BYTES) throw invalidSource(`line ${count + 1} of the manifest is too long`);
    }
  } catch (error) {
    throw (error as NodeJS.ErrnoException).syscall === undefined ? error : sourceUnreadable(path, error);
  } finally {
    stream.destroy();
  }
  if (rest !== "") yield rest;
}

/** Whether a value that was parsed is an object, and no list. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
