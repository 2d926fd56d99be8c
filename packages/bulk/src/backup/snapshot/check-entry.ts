import { checkCid } from "keeplight/parts";
import { isObject } from "../../plan/text-lines.ts";
import type { Entry } from "../entries/types.ts";

/**
 * Reads an entry of a snapshot, which anyone with its key may have written: nothing in it is trusted. Returns what is wrong
 * with a malformed one.
 */
export function parseEntry(value: unknown): Entry | string {
  if (!isObject(value)) return "an entry is malformed";
  const { kind, path, mode, mtime, size, sha256, cid, target } = value;
  if (!isPath(path)) return "a path leads out of the folder, or is malformed";
  if (kind === "link") {
    const isTarget =
      typeof target === "string" && target !== "" && target.length <= MAX_TARGET && !target.includes("\0");
    return isTarget ? { kind, path, target } : "the target of a link is malformed";
  }
  if (!isMode(mode) || !Number.isSafeInteger(mtime)) return "the mode or time of an entry is malformed";
  const facts = { path, mode, mtime: Number(mtime) };
  if (kind === "folder") return { kind, ...facts };
  if (kind !== "file") return "an entry is of an unknown kind";
  if (!Number.isSafeInteger(size) || Number(size) < 0) return "the size of a file is malformed";
  if (typeof sha256 !== "string" || !/^[0-9a-f]{64}$/.test(sha256)) return "the SHA-256 of a file is malformed";
  const file = { kind, ...facts, size: Number(size), sha256 } as const;
  if (size === 0) return file;
  try {
    return { ...file, cid: checkCid(cid) };
  } catch {
    return "the content id of a file is malformed";
  }
}

/** Characters: more than any system allows. */
const MAX_TARGET = 32_768;

/** Whatever a folder may contain is a valid path, however deep and long: only those are refused that lead elsewhere. */
function isPath(path: unknown): path is string {
  if (typeof path !== "string" || path.includes("\0")) return false;
  return path.split("/").every((name) => name !== "" && name !== "." && name !== "..");
}

function isMode(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= 0o777;
}
