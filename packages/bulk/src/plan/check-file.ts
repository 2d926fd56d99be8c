import { platform } from "node:process";
import { invalidSource } from "keeplight/parts";
import type { BulkFile } from "./types.ts";

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
