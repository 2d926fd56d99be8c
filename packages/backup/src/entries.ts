import { invalidBackup } from "./invalid-backup.ts";

/** What a snapshot has of one path: of a file, a folder, a symbolic link, or another name of a file. */
export type Entry = FileEntry | FolderEntry | LinkEntry | NameEntry;

interface EntryFacts {
  /** Below the folder of the backup, with `/` between folders. */
  path: string;
  /** Permissions, and the bits setuid, setgid and sticky: the lowest twelve bits. */
  mode: number;
  /** When it was changed, in milliseconds since 1970. */
  mtime: number;
}

export interface FileEntry extends EntryFacts {
  kind: "file";
  /** Size in bytes. */
  size: number;
  /** Ids of its chunks; in the first format, the SHA-256 of the file, in hex. */
  chunks: string[];
  /** Content id of the file, in the first format, which stores files whole; an empty file has none. */
  cid?: string;
  /** Whether its runs of zeros take no room on the disk. */
  isSparse?: true;
  /** Whether other entries are names of this file. */
  hasNames?: true;
  /** Number of its owner, for a file whose mode says who it runs as. */
  uid?: number;
  /** Number of its group, for a file whose mode says who it runs as. */
  gid?: number;
}

export interface FolderEntry extends EntryFacts {
  kind: "folder";
}

/** A symbolic link, which is not followed. */
export interface LinkEntry {
  kind: "link";
  path: string;
  /** When it was changed, in milliseconds since 1970; absent in the first format. */
  mtime?: number;
  /** What it contains, as it is. */
  target: string;
}

/** Another name of a file: a hard link. */
export interface NameEntry {
  kind: "name";
  path: string;
  /** Path of the file, which precedes it. */
  of: string;
}

/** Bits of a mode that say who a program runs as: setuid and setgid. */
export const RUN_AS = 0o6000;

/** Compares two paths in the order in which folders are walked: by names, each folder directly before everything in it. */
function comparePaths(a: string, b: string): number {
  if (a === b) return 0;
  return toSortKey(a) < toSortKey(b) ? -1 : 1;
}

/** Returns what paths are sorted by: no name has a NUL, which is less than anything else. */
export function toSortKey(path: string): string {
  return path.replaceAll("/", "\0");
}

export function isBelow(path: string, folder: string): boolean {
  return path.startsWith(`${folder}/`);
}

/** What two lists have of one path. */
export interface Joined<Left, Right> {
  left?: Left;
  right?: Right;
}

/** Joins two lists that are sorted by path, in constant memory. */
export async function* joinPaths<Left extends { path: string }, Right extends { path: string }>(
  lefts: AsyncIterable<Left>,
  rights: AsyncIterable<Right>,
): AsyncGenerator<Joined<Left, Right>> {
  const others = rights[Symbol.asyncIterator]();
  try {
    let other = await others.next();
    for await (const left of lefts) {
      while (!other.done && comparePaths(other.value.path, left.path) < 0) {
        yield { right: other.value };
        other = await others.next();
      }
      if (!other.done && other.value.path === left.path) {
        yield { left, right: other.value };
        other = await others.next();
      } else {
        yield { left };
      }
    }
    for (; !other.done; other = await others.next()) yield { right: other.value };
  } finally {
    await others.return?.();
  }
}

/** Reads an entry of a snapshot, which anyone with the secret may have written. Throws `INVALID_SNAPSHOT`. */
export function parseEntry(snapshot: string, value: unknown): Entry {
  const malformed = (problem: string) => invalidBackup(snapshot, problem);
  if (typeof value !== "object" || value === null) throw malformed("an entry is malformed");
  const { kind, path, mode, mtime, size, chunks, isSparse, hasNames, uid, gid, target, of } = value as Record<
    string,
    unknown
  >;
  if (!isPath(path)) throw malformed("a path leads out of the folder, or is malformed");
  if (kind === "name") {
    if (!isPath(of)) throw malformed("the file of a name is malformed");
    return { kind, path, of };
  }
  if (!Number.isSafeInteger(mtime)) throw malformed("the time of an entry is malformed");
  const time = Number(mtime);
  if (kind === "link") {
    if (isTarget(target)) return { kind, path, mtime: time, target };
    throw malformed("the target of a link is malformed");
  }
  if (!isWhole(mode, 0o7777)) throw malformed("the mode of an entry is malformed");
  if (kind === "folder") return { kind, path, mode, mtime: time };
  if (kind !== "file") throw malformed("an entry is of an unknown kind");
  if (!isWhole(size)) throw malformed("the size of a file is malformed");
  if (!Array.isArray(chunks) || !chunks.every(isId)) throw malformed("the chunks of a file are malformed");
  return {
    kind,
    path,
    mode,
    mtime: time,
    size,
    chunks,
    ...(isSparse === true ? { isSparse } : {}),
    ...(hasNames === true ? { hasNames } : {}),
    ...(isWhole(uid) && isWhole(gid) ? { uid, gid } : {}),
  };
}

/** Characters: more than any system allows. */
const MAX_TARGET = 32_768;

/** Whether a value is what a symbolic link may contain. */
export function isTarget(value: unknown): value is string {
  return typeof value === "string" && value !== "" && !value.includes("\0") && value.length <= MAX_TARGET;
}

export function isWhole(value: unknown, max = Number.MAX_SAFE_INTEGER): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= max;
}

export function isId(value: unknown): value is string {
  return typeof value === "string" && /^[\w-]{43}$/.test(value);
}

/** Whatever a folder may contain is a valid path, however deep and long: only those are refused that lead elsewhere. */
export function isPath(path: unknown): path is string {
  if (typeof path !== "string" || path.includes("\0")) return false;
  return path.split("/").every((name) => name !== "" && name !== "." && name !== "..");
}

/**
 * Throws `INVALID_SNAPSHOT` unless an entry may follow another one: in this order everything in a folder directly follows it, so a
 * look at the last entry is enough.
 */
export function checkOrder(snapshot: string, last: Entry, { path }: Entry): void {
  if (comparePaths(last.path, path) >= 0)
    throw invalidBackup(snapshot, "two entries have one path, or are not in order");
  const isBelowFile = last.kind !== "folder" && isBelow(path, last.path);
  if (isBelowFile) throw invalidBackup(snapshot, "an entry is below a file or a link");
}
