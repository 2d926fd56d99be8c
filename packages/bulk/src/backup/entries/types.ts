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

/** A line of the files that the state of a backup set consists of. */
export type Line = KnownFile | FolderEntry | LinkEntry | UnreadEntry;
