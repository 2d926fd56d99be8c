import { KeeplightError } from "keeplight";
import { checkCid } from "keeplight/parts";
import { isObject } from "../json-files.ts";
import type { Entry } from "./entries.ts";

/** What a snapshot says about itself. */
export interface Snapshot {
  /** Content id, for `restoreBackup`. */
  cid: string;
  /** Id of the backup set: the same for all backups of one folder by one machine. */
  set: string;
  /** Name of the folder. */
  name: string;
  /** When it was created, in milliseconds since 1970. */
  createdAt: number;
  /** How many files it has. */
  files: number;
  /** Size of all files, in bytes. */
  bytes: number;
}

/** The first line of a snapshot. */
export interface SnapshotHeader extends Omit<Snapshot, "cid"> {
  /** Master key of all files, 64 hex digits; absent if they are stored as they are. */
  key?: string;
}

/** A decrypted file is not a snapshot of a backup, or not one that may be trusted. */
export function invalidSnapshot(cid: string, problem: string): KeeplightError {
  const details = { cid, problem };
  return new KeeplightError("INVALID_SNAPSHOT", `${cid} is not a snapshot that can be read: ${problem}`, { details });
}

const TYPE = "keeplight snapshot";
const VERSION = 1;

export const MAX_HEADER_BYTES = 4_096;

export function toHeaderLine(header: SnapshotHeader): object {
  return { type: TYPE, version: VERSION, ...header };
}

export function isHeader(value: unknown): value is Record<string, unknown> {
  return isObject(value) && value["type"] === TYPE;
}

/** Reads the header of a snapshot, which anyone may have written; throws `INVALID_SNAPSHOT`. */
export function parseHeader(cid: string, value: unknown): SnapshotHeader {
  if (!isHeader(value)) throw invalidSnapshot(cid, "it is another file");
  if (value["version"] !== VERSION) throw invalidSnapshot(cid, "a later version of this package wrote it");
  const { set, name, createdAt, files, bytes, key } = value;
  const areCounts = isWhole(createdAt) && isWhole(files) && isWhole(bytes);
  if (!areCounts || !isHex(set, 16) || typeof name !== "string" || !(key === undefined || isHex(key, 64)))
    throw invalidSnapshot(cid, "its first line is malformed");
  return { set, name, createdAt, files, bytes, ...(key === undefined ? {} : { key }) };
}

function isHex(value: unknown, digits: number): value is string {
  return typeof value === "string" && value.length === digits && /^[0-9a-f]*$/.test(value);
}

function isWhole(value: unknown, max = Number.MAX_SAFE_INTEGER): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= max;
}

/** Reads an entry of a snapshot, which anyone with its key may have written: nothing in it is trusted. Throws `INVALID_SNAPSHOT`. */
export function parseEntry(snapshot: string, value: unknown): Entry {
  const malformed = (problem: string) => invalidSnapshot(snapshot, problem);
  if (!isObject(value)) throw malformed("an entry is malformed");
  const { kind, path, mode, mtime, size, sha256, cid, target } = value;
  if (!isPath(path)) throw malformed("a path leads out of the folder, or is malformed");
  if (kind === "link") {
    const isTarget = typeof target === "string" && target !== "" && !target.includes("\0");
    if (isTarget && target.length <= MAX_TARGET) return { kind, path, target };
    throw malformed("the target of a link is malformed");
  }
  if (!isWhole(mode, 0o777) || !Number.isSafeInteger(mtime))
    throw malformed("the mode or time of an entry is malformed");
  const facts = { path, mode, mtime: Number(mtime) };
  if (kind === "folder") return { kind, ...facts };
  if (kind !== "file") throw malformed("an entry is of an unknown kind");
  if (!isWhole(size)) throw malformed("the size of a file is malformed");
  if (!isHex(sha256, 64)) throw malformed("the SHA-256 of a file is malformed");
  const file = { kind, ...facts, size, sha256 } as const;
  if (size === 0) return file;
  try {
    return { ...file, cid: checkCid(cid) };
  } catch {
    throw malformed("the content id of a file is malformed");
  }
}

/** Characters: more than any system allows. */
const MAX_TARGET = 32_768;

/** Whatever a folder may contain is a valid path, however deep and long: only those are refused that lead elsewhere. */
function isPath(path: unknown): path is string {
  if (typeof path !== "string" || path.includes("\0")) return false;
  return path.split("/").every((name) => name !== "" && name !== "." && name !== "..");
}

/** What all names start with that backups are stored under. */
const MARKER = "keeplight-backup-";

/** Returns the name of the plan of one run: its batches are stored under names that start with it. */
export function toPlanName(set: string, run: string): string {
  return `${MARKER}${set}-${run}`;
}

export function toSnapshotName(set: string, createdAt: number): string {
  return `${MARKER}${set}.${createdAt}.snapshot`;
}

/** What a name in the listing of an account says: nothing of it is proven. */
export interface StoredName {
  /** Id of the set. */
  set: string;
  /** Id of the run that stored a batch; absent for a snapshot. */
  run?: string;
  /** When a snapshot was stored, in milliseconds since 1970; absent for a batch. */
  createdAt?: number;
}

/** Reads the name of a batch or a snapshot; `undefined` for any other file. */
export function parseStoredName(name: string): StoredName | undefined {
  const [, set, run, createdAt] =
    /^keeplight-backup-([0-9a-f]{16})(?:-([0-9a-f]{8})-\d{5,}|\.(\d+)\.snapshot)$/.exec(name) ?? [];
  if (set === undefined) return undefined;
  return { set, ...(run === undefined ? { createdAt: Number(createdAt) } : { run }) };
}
