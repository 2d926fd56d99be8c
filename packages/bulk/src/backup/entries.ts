/** What a snapshot says about one file, folder or symbolic link. */
export type Entry = FileEntry | FolderEntry | LinkEntry;

/** A file, whose content is stored on the network. */
export interface FileEntry extends StoredVersion {
  kind: "file";
  /** Below the folder of the backup, with `/` between folders. */
  path: string;
}

/** One version of a file. */
export interface StoredVersion {
  /** Permissions: the lowest nine bits. */
  mode: number;
  /** When it was changed, in milliseconds since 1970. */
  mtime: number;
  /** Size in bytes. */
  size: number;
  /** SHA-256 of its bytes, 64 hex digits. */
  sha256: string;
  /** Content id of what is stored: the file, or what it is encrypted to. An empty file has none. */
  cid?: string;
}

/** A folder; those with entries have entries of their own, too. */
export interface FolderEntry {
  kind: "folder";
  path: string;
  mode: number;
  mtime: number;
}

/** A symbolic link, which is not followed. */
export interface LinkEntry {
  kind: "link";
  path: string;
  /** What it contains, as it is. */
  target: string;
}

/** A file or folder that could not be read, with what was there before. */
export interface UnreadEntry {
  kind: "unread";
  path: string;
  /** Code of the error. */
  code: string;
  before?: Entry;
}

/** A file, as the state of a backup set describes it. */
export interface KnownFile extends FileEntry {
  /** Changes whenever the file does; absent if it was changed too recently to be sure. */
  state?: string;
  /** What is stored of the file, if that is an earlier version. */
  before?: StoredVersion;
}

/** What the index of a backup set says about one path. */
export type KnownEntry = KnownFile | FolderEntry | LinkEntry;

/** What a scan has found at one path. */
export type ScannedEntry = KnownEntry | UnreadEntry;

/**
 * Compares two paths in the order in which folders are walked: by names, each folder directly before everything in it.
 *
 * @returns a negative number if `a` is before `b`, 0 if they are identical
 */
export function comparePaths(a: string, b: string): number {
  if (a === b) return 0;
  return toKey(a) < toKey(b) ? -1 : 1;
}

/** No name has a NUL, which is less than anything else. */
function toKey(path: string): string {
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
