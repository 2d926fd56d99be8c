/** A file that was written. */
export interface SavedFile {
  /** Absolute path. */
  path: string;
  /** In bytes. */
  size: number;
}

/**
 * The start of a file that is being received, in a file beside its target that only this user may read, from one process
 * to the next.
 */
export interface PartialFile {
  /** Bytes that it has, or will have once all are written. Those of an earlier process must not be trusted. */
  readonly size: number;
  /** Yields the bytes that it has. */
  read(): AsyncIterable<Uint8Array>;
  /** Removes all but the first bytes; what is written follows them. */
  truncate(size: number): Promise<void>;
  write(chunk: Uint8Array): Promise<void>;
  /** Makes it the target: all bytes are there and trusted. */
  commit(): Promise<SavedFile>;
  /** Closes it; it stays for the next call. */
  close(): Promise<void>;
}

/** Where a target's partial files are, one for each operation that writes to it. */
export interface PartialFiles {
  /** Absolute path of the target. */
  readonly path: string;
  /**
   * Opens the partial file of an operation, or creates it.
   *
   * @throws `CANNOT_WRITE`, also if it is not a file of this user
   */
  open(id: string): Promise<PartialFile>;
  /** Removes it, if there is one. */
  remove(id: string): Promise<void>;
}
