import type { Entry, FileEntry } from "./entries.ts";

/** What reads a snapshot, of either format. */
export interface SnapshotReader {
  /** Yields the entries of the snapshot, checked, in the order of paths. */
  list(): AsyncGenerator<Entry>;
  content: FileContent;
  /** Removes what it has on this machine. */
  close(): Promise<void>;
}

/** What files are restored from. */
export interface FileContent {
  /** Whether a file of this machine, which is of the right size, has the bytes of an entry. */
  isIn(place: string, entry: FileEntry): Promise<boolean>;
  /**
   * Yields the bytes of an entry. Each chunk is verified, or all of them are once the last was read: it throws if they are others.
   */
  read(entry: FileEntry, signal: AbortSignal): AsyncGenerator<Uint8Array>;
}
