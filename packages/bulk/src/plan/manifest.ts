import { createReadStream } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { platform } from "node:process";
import { invalidSource, sourceUnreadable } from "keeplight/parts";
import { withWriteErrors } from "keeplight/parts/node";
import { openLines } from "../json-files.ts";
import type { BulkFile } from "./plan.ts";

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
export type ManifestWriter = Awaited<ReturnType<typeof openManifest>>;

/**
 * Opens a manifest to add files, or creates it. A line that was cut off when a process ended is removed.
 *
 * @throws `CANNOT_WRITE`
 */
export async function openManifest(path: string) {
  const { handle, ...lines } = await openLines(path, "a+");
  try {
    /** Path of the last file that an earlier process has added, if any. */
    const last = await withWriteErrors(path, () => cutLastLine(handle));
    return {
      ...lines,
      last,
      /** Reads all of it to find out whether it has a path. */
      async has(searched: string): Promise<boolean> {
        await lines.flush();
        for await (const file of readManifest(path)) if (file.path === searched) return true;
        return false;
      },
    };
  } catch (error) {
    await lines.close();
    throw error;
  }
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
  // On Windows a backslash separates folders.
  const isSplit = platform === "win32" && String(path).includes("\\");
  if (typeof path !== "string" || BAD_PART.test(path) || UNPRINTABLE.test(path) || isSplit) {
    const problem = "is empty, or has an empty, '.' or '..' part, a NUL, half a character, or a backslash (on Windows)";
    throw badFile(`a path of the listing ${problem}`, line, String(path));
  }
  if (typeof size !== "number" || !Number.isSafeInteger(size) || size < 0) {
    throw badFile(`the size of ${path} is no whole number of bytes`, line, path);
  }
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
  return invalidSource(`${problem}${place}`, { name });
}

/** Parts that are empty, `.` or `..`. */
const BAD_PART = /(^|\/)\.{0,2}(\/|$)/;

/** No database keeps NULs, or lone surrogates. */
const UNPRINTABLE = /[\0\uD800-\uDFFF]/u;

/** The longest line that is read, in bytes: a path has at most 4 KiB, six times as long if every byte is escaped. */
const MAX_LINE_BYTES = 64 * 1024;

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
