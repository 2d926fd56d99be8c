import { platform } from "node:process";
import { invalidSource } from "keeplight/parts";
import { readRawLines } from "../json-lines.ts";
import type { BulkFile } from "./plan.ts";

const describeLine = (number: number) => `line ${number} of the manifest`;

const BYTE_ORDER_MARK = "\uFEFF";

/**
 * Yields the files of a manifest in its order. Empty lines, and a byte order mark, are ignored. Throws `SOURCE_UNREADABLE`,
 * `INVALID_SOURCE`, which names the line.
 */
export async function* readManifest(path: string): AsyncGenerator<BulkFile> {
  let number = 0;
  for await (const { bytes } of readRawLines(path, describeLine)) {
    const line = bytes.toString();
    const text = ++number === 1 && line.startsWith(BYTE_ORDER_MARK) ? line.slice(1) : line;
    if (text.trim() !== "") yield checkFile(parse(text, number), number);
  }
}

function parse(text: string, number: number): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalidSource(`${describeLine(number)} is not JSON`);
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
  const place = line === undefined ? "" : ` (${describeLine(line)})`;
  return invalidSource(`${problem}${place}`, { name });
}

/** Parts that are empty, `.` or `..`. */
const BAD_PART = /(^|\/)\.{0,2}(\/|$)/;

/** No database keeps NULs, or lone surrogates. */
const UNPRINTABLE = /[\0\uD800-\uDFFF]/u;
