import { lstat, readdir, readlink, realpath } from "node:fs/promises";
import { join } from "node:path";
import { sourceUnreadable, throwIfAborted } from "keeplight/parts";
import { isTemporary } from "keeplight/parts/node";
import type { FolderEntry, LinkEntry } from "./entries.ts";
import { describeFacts, type FileFacts, toMode, toMs, toState } from "./file-facts.ts";
import { type FileReading, findFolder, type KnownFile, type PlacedFile, readFile } from "./read-file.ts";

/** A file that was found, and has to be read unless it is known. */
export interface FoundFile {
  kind: "file";
  path: string;
  facts: FileFacts;
  /** Changes whenever the file does; absent if nothing shows that. */
  state?: string;
  /**
   * Reads the file, and passes on its chunks.
   *
   * @throws `SOURCE_UNREADABLE`, `SOURCE_CHANGED`, `ABORTED`, what `add` throws
   */
  read(reading: FileReading): Promise<KnownFile>;
}

/** Another name of a file that was found. */
export interface FoundName {
  kind: "name";
  path: string;
  /** Path of the file, which precedes it. */
  of: string;
  /** The same file by this name. */
  file: FoundFile;
}

/** A file that may have other names. */
interface NamedFile extends FoundFile {
  /** The same for all names of the file. */
  identity: string;
}

/** What could not be read. */
export interface UnreadEntry {
  kind: "unread";
  path: string;
  /** Code of the error. */
  code: string;
}

export type Found = FoundFile | FoundName | FolderEntry | LinkEntry | UnreadEntry;

export interface Walk {
  /** Absolute path of the folder. */
  root: string;
  /** Path below the folder that is left out, with `/` between folders. */
  excluded: string;
  /** Whether a path is backed up; that of a folder ends with `/`. */
  filter: ((path: string) => boolean) | undefined;
  signal: AbortSignal | undefined;
}

/**
 * Yields all files, folders and symbolic links below a folder, in the order of `comparePaths`. Links are not followed, nor one
 * that takes the place of a folder meanwhile; sockets, pipes and devices are left out, and so are this kit's temporary files and
 * what vanishes meanwhile. A further name of a file that was found is yielded as that. Memory grows with the largest folder, and
 * the number of hard links.
 *
 * @throws `SOURCE_UNREADABLE` if the folder itself cannot be read; `ABORTED`
 */
export async function* walkFolder({ root, excluded, filter, signal }: Walk): AsyncGenerator<Found> {
  const linked = new Map<string, string>();
  // Some file systems of Windows have no such paths.
  const top = await realpath(root).catch(() => root);
  const names = await readdir(top).catch((error) => {
    throw sourceUnreadable(root, error);
  });
  yield* walk(top, "", names);

  async function* walk(folder: string, prefix: string, unsorted: string[]): AsyncGenerator<Found> {
    const sorted = unsorted.sort().filter((name) => prefix + name !== excluded && !isTemporary(name));
    const look = async (some: readonly string[]) => {
      const found = await Promise.all(
        some.map((name) => findEntry({ place: join(folder, name), top, path: prefix + name })),
      );
      return (await findFolder(folder, top)) === "changed" ? some.map((name) => toUnread(prefix + name)) : found;
    };
    for await (const { name, found, isTwin } of lookAtNames(sorted, look)) {
      throwIfAborted(signal);
      const entry = found && isTwin ? toUnread(prefix + name) : found;
      if (!entry || filter?.(entry.kind === "folder" ? `${entry.path}/` : entry.path) === false) continue;
      if (entry.kind === "file") yield toName(entry);
      else if (entry.kind !== "folder") yield entry;
      else {
        const path = join(folder, name);
        const below = await readdir(path).catch((error: NodeJS.ErrnoException) => error);
        const state = await findFolder(path, top);
        if (!(below instanceof Error) && state === "there") {
          yield entry;
          yield* walk(path, `${entry.path}/`, below);
        } else if (state !== "gone") yield toUnread(entry.path);
      }
    }
  }

  function toName(file: FoundFile | NamedFile): FoundFile | FoundName {
    if (!("identity" in file)) return file;
    const { identity, path } = file;
    const of = linked.get(identity);
    if (of !== undefined) return { kind: "name", path, of, file };
    linked.set(identity, path);
    return file;
  }
}

const LOOKED_AT_ONCE = 64;

/**
 * Looks at the sorted names of a folder. Two names of other bytes can be one string, which is a twin: which is meant is unknown.
 */
async function* lookAtNames<Looked>(
  names: readonly string[],
  look: (some: readonly string[]) => Promise<readonly Looked[]>,
) {
  for (let at = 0; at < names.length; at += LOOKED_AT_ONCE) {
    const some = names.slice(at, at + LOOKED_AT_ONCE);
    const all = await look(some);
    for (const [index, name] of some.entries()) {
      const isTwin = names[at + index + 1] === name;
      if (names[at + index - 1] !== name) yield { name, found: all[index], isTwin };
    }
  }
}

async function findEntry(at: Omit<PlacedFile, "facts">): Promise<Found | undefined> {
  const { place, path } = at;
  try {
    const facts = await lstat(place, { bigint: true });
    if (facts.isFile()) return toFile({ ...at, facts });
    const mtime = toMs(facts.mtimeNs);
    if (facts.isDirectory()) return { kind: "folder", path, mode: toMode(facts.mode), mtime };
    if (!facts.isSymbolicLink()) return undefined;
    const target = await readlink(place);
    return target.includes(REPLACEMENT) ? toUnread(path) : { kind: "link", path, mtime, target };
  } catch (error) {
    const isGone = (error as NodeJS.ErrnoException).code === "ENOENT" && !path.includes(REPLACEMENT);
    return isGone ? undefined : toUnread(path);
  }
}

/** Stands for bytes that are not UTF-8: a name that has them cannot be opened by its string, nor a target kept. */
const REPLACEMENT = "\uFFFD";

const toUnread = (path: string): UnreadEntry => ({ kind: "unread", path, code: "SOURCE_UNREADABLE" });

function toFile(placed: PlacedFile): FoundFile | NamedFile {
  const { path, facts } = placed;
  const file: FoundFile = {
    kind: "file",
    path,
    facts: describeFacts(path, facts),
    state: toState(facts),
    read: (reading) => readFile(placed, reading),
  };
  return facts.nlink < 2n ? file : { ...file, identity: `${facts.dev}:${facts.ino}` };
}
