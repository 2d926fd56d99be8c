import { platform } from "node:process";
import { invalidSource } from "../../errors/input.ts";
import type { BulkFile } from "./types.ts";

/** Checks one file of a listing, which comes from outside; throws `INVALID_SOURCE`. */
export function checkFile(value: unknown): BulkFile {
  if (typeof value !== "object" || value === null) throw invalidSource("a file of the listing is no object");
  const { path, size, mtime, sha256 } = value as Record<string, unknown>;
  if (
    typeof path !== "string" ||
    path.split("/").some((part) => ["", ".", ".."].includes(part)) ||
    UNPRINTABLE.test(path) ||
    // There it separates folders.
    (platform === "win32" && path.includes("\\"))
  ) {
    throw invalidSource(
      "a path of the listing is empty, or has an empty, '.' or '..' part, a NUL, half a character, or a backslash (on Windows)",
      { name: String(path) },
    );
  }
  if (!isWhole(size)) throw invalidSource(`the size of ${path} is no whole number of bytes`, { name: path });
  // Before 1970 it is negative.
  if (mtime !== undefined && !Number.isSafeInteger(mtime)) {
    throw invalidSource(`the mtime of ${path} is no whole number of milliseconds`, { name: path });
  }
  if (sha256 !== undefined && !(typeof sha256 === "string" && /^[0-9a-f]{64}$/.test(sha256))) {
    throw invalidSource(`the sha256 of ${path} is not 64 hex digits`, { name: path });
  }
  return {
    path,
    size,
    ...(mtime === undefined ? {} : { mtime: mtime as number }),
    ...(sha256 === undefined ? {} : { sha256 }),
  };
}

function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** No database keeps NULs, or lone surrogates. */
const UNPRINTABLE = /[\0\uD800-\uDFFF]/u;
