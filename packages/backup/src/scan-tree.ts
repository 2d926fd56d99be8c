import { isKeeplightError } from "keeplight";
import { mapInOrder } from "keeplight/parts";
import { type Entry, isBelow, type Joined, joinPaths } from "./entries.ts";
import type { FileReading, KnownFile } from "./read-file.ts";
import type { Found, FoundFile, FoundName, UnreadEntry } from "./scan.ts";

/** What a state has of a path. */
export type KnownEntry = KnownFile | Exclude<Entry, { kind: "file" }>;

/** A file that a snapshot has in its last stored version, or not at all. */
export interface SkippedFile {
  /** Below the folder of the backup. */
  path: string;
  /** Code of the error because of which it could not be read. */
  code: string;
}

export interface ScanOptions extends FileReading {
  /** How many files are read at once. */
  filesAtOnce: number;
  /** Whether a chunk is stored. */
  has(id: string): boolean;
  /** Receives what could not be read. */
  onSkipped(file: SkippedFile): void;
}

/**
 * Yields what was found, and stores the chunks of what has changed. Files that are as they were are not read. What cannot be read
 * has the version that was stored last, if its chunks are there.
 *
 * @param all - in the order of paths
 * @param known - the last result
 */
export async function* scanTree(
  all: AsyncIterable<Found>,
  known: AsyncIterable<KnownEntry>,
  options: ScanOptions,
): AsyncGenerator<KnownEntry> {
  /** Files of the last result that have names. */
  const last = new Map<string, KnownFile>();
  /** Those of this one. */
  const named = new Map<string, KnownFile>();
  /** Paths of those of them that were read, by the first path at which they were found. */
  const origins = new Map<string, string>();
  const joined = keepBelowUnread(joinPaths(all, rememberNamed(known, last)));
  const limits = { limit: options.filesAtOnce, signal: options.signal };
  const described = mapInOrder(joined, limits, async ({ left, right }, signal) => {
    const reading = { ...options, signal };
    return { left, right, entry: left?.kind === "file" ? await describeFile(left, right, reading) : left };
  });
  for await (const { left, right, entry: found } of described) {
    const entry = found?.kind === "name" ? await describeName(found, right) : found;
    const isGone = left !== undefined && entry === undefined;
    if (isGone) continue;
    const isRead = entry !== undefined && entry.kind !== "unread";
    const result = isRead ? entry : right && findStored(right);
    if (!isRead && (entry || !result)) {
      const { path, code } = { path: right?.path ?? "", code: "SOURCE_UNREADABLE", ...entry };
      options.onSkipped({ path, code });
    }
    if (result?.kind === "file" && result.hasNames) {
      named.set(result.path, result);
      if (isRead) origins.set(left?.kind === "name" ? left.of : result.path, result.path);
    }
    if (result) yield result;
  }

  /** Another name of a file that vanished before it was read, or became another one, is the file itself. */
  async function describeName({ path, of, file }: FoundName, before: KnownEntry | undefined) {
    const origin = origins.get(of);
    if (origin !== undefined) return { kind: "name" as const, path, of: origin };
    return describeFile(file, before, options);
  }

  /** Returns what was stored of an entry; `undefined` if it is not stored any more. */
  function findStored(before: KnownEntry): KnownEntry | undefined {
    if (before.kind === "name") {
      const [file, now] = [last.get(before.of), named.get(before.of)];
      if (file && String(now?.chunks) === String(file.chunks)) return before;
      return file && findStored({ ...file, path: before.path });
    }
    return before.kind !== "file" || before.chunks.every(options.has) ? before : undefined;
  }
}

async function* rememberNamed(known: AsyncIterable<KnownEntry>, named: Map<string, KnownFile>) {
  for await (const entry of known) {
    if (entry.kind === "file" && entry.hasNames) named.set(entry.path, entry);
    yield entry;
  }
}

/** Drops what is known only, unless it is in a folder that could not be read. */
async function* keepBelowUnread(joined: AsyncIterable<Joined<Found, KnownEntry>>) {
  let unread: string | undefined;
  for await (const each of joined) {
    if (each.left) unread = each.left.kind === "unread" ? each.left.path : undefined;
    if (each.left || (unread !== undefined && each.right && isBelow(each.right.path, unread))) yield each;
  }
}

/** Codes of a file that has vanished since it was found: of a file system, and of S3. */
const GONE: ReadonlySet<unknown> = new Set(["ENOENT", "NoSuchKey"]);

async function describeFile(
  { path, facts, state, read }: FoundFile,
  known: KnownEntry | undefined,
  options: ScanOptions,
): Promise<KnownFile | UnreadEntry | undefined> {
  const isSame = known?.kind === "file" && state !== undefined && known.state === state;
  if (isSame && known.chunks.every(options.has)) return { ...facts, chunks: known.chunks, state };
  try {
    return await read(options);
  } catch (error) {
    const isOfFile = isKeeplightError(error, "SOURCE_UNREADABLE") || isKeeplightError(error, "SOURCE_CHANGED");
    // Otherwise it is about everything that is backed up.
    if (!isOfFile || error.details.name !== path) throw error;
    if (isKeeplightError(error, "SOURCE_UNREADABLE") && GONE.has(error.details.code)) return undefined;
    return { kind: "unread", path, code: error.code };
  }
}

/** Returns an entry as a snapshot has it. */
export function stripState(entry: KnownEntry): Entry {
  if (entry.kind !== "file") return entry;
  const { state: _, ...stored } = entry;
  return stored;
}
