import type { BigIntStats } from "node:fs";
import { lstat, readdir, readlink } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { invalidSource, sourceUnreadable, throwIfAborted } from "keeplight/parts";
import { isTemporary } from "keeplight/parts/node";
import { hasOwnState, toRealPath } from "../../plan/own-folders.ts";
import type { FolderEntry, LinkEntry, UnreadEntry } from "../entries/types.ts";

/** A file that was found. */
export interface FoundFile {
  kind: "file";
  path: string;
  facts: BigIntStats;
}

/** Whatever was found. */
export type Found = FoundFile | FolderEntry | LinkEntry | UnreadEntry;

/** What is walked. */
export interface Walk {
  /** Absolute path of the folder. */
  root: string;
  /** Absolute path that is left out. */
  excluded: string;
  /** Whether everyone can read what is found: folders with a plan, a journal or the state of backups are unread then. */
  isPublic: boolean;
  signal: AbortSignal | undefined;
}

/** Entries whose facts are read concurrently. */
const STATS_AT_ONCE = 64;

/**
 * Yields all files, folders and symbolic links below a folder, in the order of `comparePaths`. Links are not followed;
 * sockets, pipes and devices are left out, and so are this kit's temporary files and what vanishes meanwhile. Memory grows with the largest folder only.
 *
 * @throws `SOURCE_UNREADABLE` if the folder itself cannot be read; `INVALID_SOURCE` if nobody else may read it; `ABORTED`
 */
export async function* walkFolder({ root, excluded, isPublic, signal }: Walk): AsyncGenerator<Found> {
  let names: string[];
  try {
    names = await readdir(root);
  } catch (error) {
    throw sourceUnreadable(root, error);
  }
  if (isPublic && (await hasOwnState(root, names))) {
    throw invalidSource("it has a plan, a journal or the state of backups, which nobody else may read", { name: root });
  }
  const left = relative(await toRealPath(root), await toRealPath(excluded)).replaceAll(sep, "/");
  yield* walk(root, "", names);

  async function* walk(folder: string, prefix: string, unsorted: string[]): AsyncGenerator<Found> {
    const sorted = unsorted.sort().filter((name) => prefix + name !== left && !isTemporary(name));
    for (let at = 0; at < sorted.length; at += STATS_AT_ONCE) {
      throwIfAborted(signal);
      const chunk = sorted.slice(at, at + STATS_AT_ONCE);
      const found = await Promise.all(chunk.map((name) => describe(join(folder, name), prefix + name)));
      for (const [index, name] of chunk.entries()) {
        // Two names of other bytes can be one string: which of them is meant is unknown.
        if (sorted[at + index - 1] === name) continue;
        const entry = sorted[at + index + 1] === name ? toUnread(prefix + name) : found[index];
        if (!entry) continue;
        if (entry.kind !== "folder") {
          yield entry;
          continue;
        }
        const path = join(folder, name);
        const below = await readdir(path).catch((error: NodeJS.ErrnoException) => error);
        if (below instanceof Error) {
          if (below.code !== "ENOENT") yield toUnread(entry.path);
          continue;
        }
        if (isPublic && (await hasOwnState(path, below))) {
          yield { ...toUnread(entry.path), code: "INVALID_SOURCE" };
          continue;
        }
        yield entry;
        yield* walk(path, `${entry.path}/`, below);
      }
    }
  }
}

async function describe(place: string, path: string): Promise<Found | undefined> {
  try {
    const facts = await lstat(place, { bigint: true });
    if (facts.isFile()) return { kind: "file", path, facts };
    const { mode, mtimeNs } = facts;
    if (facts.isDirectory()) {
      return { kind: "folder", path, mode: toMode(mode), mtime: toMs(mtimeNs) };
    }
    if (!facts.isSymbolicLink()) return undefined;
    const target = await readlink(place);
    return target.includes(REPLACEMENT) ? toUnread(path) : { kind: "link", path, target };
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT" && !path.includes(REPLACEMENT)
      ? undefined
      : toUnread(path);
  }
}

/** Stands for bytes that are not UTF-8: a name that has them cannot be opened by its string, nor a target kept. */
const REPLACEMENT = "\uFFFD";

const toUnread = (path: string): UnreadEntry => ({ kind: "unread", path, code: "SOURCE_UNREADABLE" });

/** Permissions without the bits that change who a program runs as. */
export const toMode = (mode: bigint): number => Number(mode & 0o777n);

export const toMs = (ns: bigint): number => Number(ns / 1_000_000n);
