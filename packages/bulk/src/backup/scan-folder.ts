import { createHash } from "node:crypto";
import type { BigIntStats } from "node:fs";
import { lstat, readdir, readlink } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { isKeeplightError } from "keeplight";
import { invalidSource, listSourceFiles, sourceChanged, sourceUnreadable, throwIfAborted } from "keeplight/parts";
import { isTemporary } from "keeplight/parts/node";
import { hasOwnState, toRealPath } from "../plan/own-folders.ts";
import { lookAtNames } from "../plan/sources.ts";
import {
  type Entry,
  type FolderEntry,
  isBelow,
  type Joined,
  joinPaths,
  type KnownEntry,
  type KnownFile,
  type LinkEntry,
  type ScannedEntry,
  type StoredVersion,
  type UnreadEntry,
} from "./entries.ts";

const HASHES_AT_ONCE = 8;

/** Lines that are passed on at once. */
const LINES_AT_ONCE = 256;

/** A file that was changed so recently, in milliseconds, may change again without another time or size. */
const RECENT_MS = 2_000;

/**
 * Yields what a folder contains now. Files that are as the index knows them are not read; of the others the SHA-256 is
 * computed. A file whose bytes are known keeps its content id, every other one has none. What cannot be read keeps what the
 * index knows of it.
 *
 * @param index - of the last scan, in the order of paths
 * @throws `SOURCE_UNREADABLE` if the folder itself cannot be read; `INVALID_SOURCE` if nobody else may read it; `ABORTED`
 */
export async function* scanFolder(walked: Walk, index: AsyncIterable<KnownEntry>): AsyncGenerator<ScannedEntry> {
  const { root, signal } = walked;
  const end = signal ?? new AbortController().signal;
  const joined = keepBelowUnread(joinPaths(walkFolder(walked), index));
  let lines: (ScannedEntry | undefined | Promise<ScannedEntry | undefined>)[] = [];
  let hashes = 0;
  for await (const { left, right } of joined) {
    const line = left ? describe(root, left, right, end) : right;
    lines.push(line);
    if (line instanceof Promise) {
      hashes++;
      // It may fail before its turn.
      line.catch(() => undefined);
    }
    if (hashes < HASHES_AT_ONCE && lines.length < LINES_AT_ONCE) continue;
    yield* (await Promise.all(lines)).filter((each) => each !== undefined);
    lines = [];
    hashes = 0;
  }
  yield* (await Promise.all(lines)).filter((each) => each !== undefined);
}

/** Drops what is in the index only, unless it is in a folder that could not be read. */
async function* keepBelowUnread(joined: AsyncIterable<Joined<Found, KnownEntry>>) {
  let unread: string | undefined;
  for await (const each of joined) {
    if (each.left) unread = each.left.kind === "unread" ? each.left.path : undefined;
    if (each.left || (unread !== undefined && each.right && isBelow(each.right.path, unread))) yield each;
  }
}

/** Describes what was found; a promise if the file has to be read. */
function describe(root: string, found: Found, known: KnownEntry | undefined, signal: AbortSignal) {
  if (found.kind === "unread") return { ...found, ...toBefore(known) };
  if (found.kind !== "file") return found;
  const { mode, mtimeNs, size } = found.facts;
  const own = { kind: "file", path: found.path, mode: toMode(mode), mtime: toMs(mtimeNs), size: Number(size) } as const;
  const file = known?.kind === "file" ? known : undefined;
  const isSame = file !== undefined && file.state === toState(found) && file.size === own.size;
  return isSame ? { ...file, ...own } : describeRead(root, { ...found, own }, file, signal);
}

/** Describes a file by its bytes; `undefined` if it vanishes. */
async function describeRead(
  root: string,
  found: FoundFile & { own: Pick<KnownFile, "kind" | "path" | "mode" | "mtime" | "size"> },
  known: KnownFile | undefined,
  signal: AbortSignal,
): Promise<ScannedEntry | undefined> {
  const { path, own, facts } = found;
  const isRecent = Date.now() - Number(facts.ctimeMs) < RECENT_MS;
  try {
    const sha256 = own.size === 0 ? EMPTY_SHA256 : await hashFile(join(root, path), found, signal);
    const content = own.size === 0 ? {} : toKnownContent(known, sha256);
    return { ...own, ...(isRecent ? {} : { state: toState(found) }), sha256, ...content };
  } catch (error) {
    if (!isKeeplightError(error) || isKeeplightError(error, "ABORTED")) throw error;
    if (error.code === "SOURCE_UNREADABLE" && error.details["code"] === "ENOENT") return undefined;
    return { kind: "unread", path, code: error.code, ...toBefore(known) };
  }
}

/** SHA-256 of no bytes (FIPS 180-4). */
const EMPTY_SHA256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

function toState({ facts: { mtimeNs, ctimeNs, ino } }: FoundFile): string {
  return `${mtimeNs} ${ctimeNs} ${ino}`;
}

async function hashFile(place: string, { path, facts }: FoundFile, signal: AbortSignal): Promise<string> {
  const [file] = await listSourceFiles(place, { name: undefined, signal });
  const isSame = file?.facts?.ino === String(facts.ino) && file.facts.ctimeNs === String(facts.ctimeNs);
  if (!file || !isSame) throw sourceChanged(path, Number(facts.size), file?.size ?? 0);
  const hash = createHash("sha256");
  for await (const chunk of file.open(signal, true)) hash.update(chunk);
  return hash.digest("hex");
}

/** The content id of a file whose bytes are stored, or else what is stored of it. */
function toKnownContent(file: KnownFile | undefined, sha256: string): { cid?: string; before?: StoredVersion } {
  const stored = file && getStored(file);
  if (!stored) return {};
  return stored.sha256 === sha256 && stored.cid !== undefined ? { cid: stored.cid } : { before: stored };
}

/** Returns the version of a file that is stored, if there is one. */
function getStored({ before, mode, mtime, size, sha256, cid }: KnownFile): StoredVersion | undefined {
  if (size === 0) return { mode, mtime, size, sha256 };
  return cid === undefined ? before : { mode, mtime, size, sha256, cid };
}

function toBefore(known: KnownEntry | undefined): { before?: Entry } {
  if (!known) return {};
  if (known.kind !== "file") return { before: known };
  const stored = getStored(known);
  return stored ? { before: { kind: "file", path: known.path, ...stored } } : {};
}

interface FoundFile {
  kind: "file";
  path: string;
  facts: BigIntStats;
}

type Found = FoundFile | FolderEntry | LinkEntry | UnreadEntry;

export interface Walk {
  /** Absolute path of the folder. */
  root: string;
  /** Absolute path that is left out. */
  excluded: string;
  /** Whether everyone can read what is found: folders with a plan, a journal or the state of backups are unread then. */
  isPublic: boolean;
  signal: AbortSignal | undefined;
}

/**
 * Yields all files, folders and symbolic links below a folder, in the order of `comparePaths`. Links are not followed;
 * sockets, pipes and devices are left out, and so are this kit's temporary files and what vanishes meanwhile. Memory grows with the largest folder only.
 *
 * @throws `SOURCE_UNREADABLE` if the folder itself cannot be read; `INVALID_SOURCE` if nobody else may read it; `ABORTED`
 */
async function* walkFolder({ root, excluded, isPublic, signal }: Walk): AsyncGenerator<Found> {
  const names = await readdir(root).catch((error) => {
    throw sourceUnreadable(root, error);
  });
  if (isPublic && (await hasOwnState(root, names))) {
    throw invalidSource("it has a plan, a journal or the state of backups, which nobody else may read", { name: root });
  }
  const left = relative(await toRealPath(root), await toRealPath(excluded)).replaceAll(sep, "/");
  yield* walk(root, "", names);

  async function* walk(folder: string, prefix: string, unsorted: string[]): AsyncGenerator<Found> {
    const sorted = unsorted.sort().filter((name) => prefix + name !== left && !isTemporary(name));
    const look = (name: string) => findEntry(join(folder, name), prefix + name);
    for await (const { name, found, isTwin } of lookAtNames(sorted, look)) {
      throwIfAborted(signal);
      const entry = isTwin ? toUnread(prefix + name) : found;
      if (!entry) continue;
      if (entry.kind !== "folder") {
        yield entry;
        continue;
      }
      const path = join(folder, name);
      const below = await readdir(path).catch((error: NodeJS.ErrnoException) => error);
      if (below instanceof Error) {
        if (below.code !== "ENOENT") yield toUnread(entry.path);
      } else if (isPublic && (await hasOwnState(path, below))) {
        yield { ...toUnread(entry.path), code: "INVALID_SOURCE" };
      } else {
        yield entry;
        yield* walk(path, `${entry.path}/`, below);
      }
    }
  }
}

async function findEntry(place: string, path: string): Promise<Found | undefined> {
  try {
    const facts = await lstat(place, { bigint: true });
    if (facts.isFile()) return { kind: "file", path, facts };
    const { mode, mtimeNs } = facts;
    if (facts.isDirectory()) return { kind: "folder", path, mode: toMode(mode), mtime: toMs(mtimeNs) };
    if (!facts.isSymbolicLink()) return undefined;
    const target = await readlink(place);
    return target.includes(REPLACEMENT) ? toUnread(path) : { kind: "link", path, target };
  } catch (error) {
    const isGone = (error as NodeJS.ErrnoException).code === "ENOENT" && !path.includes(REPLACEMENT);
    return isGone ? undefined : toUnread(path);
  }
}

/** Stands for bytes that are not UTF-8: a name that has them cannot be opened by its string, nor a target kept. */
const REPLACEMENT = "\uFFFD";

const toUnread = (path: string): UnreadEntry => ({ kind: "unread", path, code: "SOURCE_UNREADABLE" });

/** Permissions without the bits that change who a program runs as. */
const toMode = (mode: bigint): number => Number(mode & 0o777n);

const toMs = (ns: bigint): number => Number(ns / 1_000_000n);
