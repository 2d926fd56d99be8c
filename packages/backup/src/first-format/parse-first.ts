import { checkCid } from "keeplight/parts";
import { type Entry, type FileEntry, isPath, isTarget, isWhole } from "../entries.ts";
import { invalidBackup } from "../invalid-backup.ts";

// The first format of snapshots: an encrypted file of JSON lines, a header and then an entry each, which have the SHA-256 and the
// content ids of files that are stored whole.

/** The first line of a snapshot. */
export interface FirstHeader {
  /** Id of the backup set: the same for all backups of one folder by one machine. */
  set: string;
  /** Name of the folder. */
  name: string;
  /** When it was created, in milliseconds since 1970. */
  createdAt: number;
  files: number;
  /** Size of all files, in bytes. */
  bytes: number;
  /** Master key of all files, 64 hex digits; absent if they are stored as they are. */
  key?: string;
}

export const MAX_HEADER_BYTES = 4_096;

const TYPE = "keeplight snapshot";
const VERSION = 1;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isHex = (value: unknown, digits: number): value is string =>
  typeof value === "string" && value.length === digits && /^[0-9a-f]*$/.test(value);

export function isFirstHeader(value: unknown): value is Record<string, unknown> {
  return isObject(value) && value["type"] === TYPE;
}

/** Reads the header of a snapshot, which anyone may have written; throws `INVALID_SNAPSHOT`. */
export function parseFirstHeader(cid: string, value: unknown): FirstHeader {
  if (!isFirstHeader(value)) throw invalidBackup(cid, "it is another file");
  if (value["version"] !== VERSION) throw invalidBackup(cid, "a later version of this package wrote it");
  const { set, name, createdAt, files, bytes, key } = value;
  const areCounts = isWhole(createdAt) && isWhole(files) && isWhole(bytes);
  if (!areCounts || !isHex(set, 16) || typeof name !== "string" || !(key === undefined || isHex(key, 64)))
    throw invalidBackup(cid, "its first line is malformed");
  return { set, name, createdAt, files, bytes, ...(key === undefined ? {} : { key }) };
}

/**
 * Reads an entry of a snapshot, which anyone with its key may have written: nothing in it is trusted. Throws `INVALID_SNAPSHOT`.
 */
export function parseFirstEntry(snapshot: string, value: unknown): Entry {
  const malformed = (problem: string) => invalidBackup(snapshot, problem);
  if (!isObject(value)) throw malformed("an entry is malformed");
  const { kind, path, mode, mtime, size, sha256, cid, target } = value;
  if (!isPath(path)) throw malformed("a path leads out of the folder, or is malformed");
  if (kind === "link") {
    if (isTarget(target)) return { kind, path, target };
    throw malformed("the target of a link is malformed");
  }
  if (!isWhole(mode, 0o777) || !Number.isSafeInteger(mtime))
    throw malformed("the mode or time of an entry is malformed");
  const facts = { path, mode, mtime: Number(mtime) };
  if (kind === "folder") return { kind, ...facts };
  if (kind !== "file") throw malformed("an entry is of an unknown kind");
  if (!isWhole(size)) throw malformed("the size of a file is malformed");
  if (!isHex(sha256, 64)) throw malformed("the SHA-256 of a file is malformed");
  const file: FileEntry = { kind, ...facts, size, chunks: [sha256] };
  if (size === 0) return file;
  try {
    return { ...file, cid: checkCid(cid) };
  } catch {
    throw malformed("the content id of a file is malformed");
  }
}

/** Returns the id of the set that a name in the listing of an account says a snapshot is of: nothing of it is proven. */
export function readFirstName(name: string): string | undefined {
  return /^keeplight-backup-([0-9a-f]{16})\.\d+\.snapshot$/.exec(name)?.[1];
}
