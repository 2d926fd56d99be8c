import type { ChunkStream } from "../../transfer/upload/source.ts";

/** One file of a plan. */
export interface BulkFile {
  /** Below the source, with `/` between folders. */
  path: string;
  /** In bytes. */
  size: number;
  /** When it was changed, in milliseconds since 1970, if known. A file on a disk that changed since is not sent. */
  mtime?: number;
  /** Of its bytes, 64 hex digits, if known. A file with another one is not sent. */
  sha256?: string;
}

/** Where the files of a plan are: an adapter for object stores and archives. */
export interface BulkSource {
  /** Names the place, so that a plan is not continued with another one. */
  readonly place: string;
  /**
   * Lists the files, always in the same order.
   *
   * @param after - path of the last file that is known already: the list continues behind it. Default from the start
   */
  list(after?: string): AsyncIterable<BulkFile>;
  /** Returns the path of a file on this machine, or its bytes as a stream. */
  open(file: BulkFile, signal: AbortSignal): string | ChunkStream | Promise<string | ChunkStream>;
}

/** A plan whose manifest is complete. */
export interface BulkPlan {
  /** Random: 32 hex digits. */
  id: string;
  /** Names the folders that are stored, one for each batch: `photos-00007`. */
  name: string;
  /** The folder that the plan is kept in. */
  folder: string;
  /** {@link BulkSource.place} of its source. */
  place: string;
  /** Whether its files are encrypted. */
  encrypted: boolean;
  /** How many files it has. */
  files: number;
  /** Of all files, in bytes. */
  bytes: number;
  /** How many batches they are sent in. */
  batches: number;
}
