import type { UploadedFile } from "./upload-response.ts";

/** What an encrypted upload keeps of its progress, for another process to continue it if this one ends. */
export interface UploadRecord {
  /**
   * All bytes are encrypted, and the last of them are not sent yet: these will be the content ids of the files. Resolves
   * once they are kept, so that no file is stored under a content id that is not.
   */
  expect(files: readonly (RecordedCids | undefined)[]): Promise<void>;
  /** The upload node, or the caller, says where the files are stored. */
  locate(stored: readonly UploadedFile[]): Promise<void>;
  /** A node has saved its shard of the file at an index. */
  save(index: number, node: number): void;
  /** Returns the nodes that have saved their shard of the file at an index. */
  saved(index: number): readonly number[];
  /** Runs work that continues the upload. */
  resume<T>(work: () => Promise<T>): Promise<T>;
}

/** The content ids that an upload node may return for one encrypted file. */
export interface RecordedCids {
  cids: readonly string[];
  /** Of the encrypted file, in bytes. */
  size: number;
}

/** Keeps nothing. */
export const unrecorded: UploadRecord = {
  expect: async () => undefined,
  locate: async () => undefined,
  save: () => undefined,
  saved: () => [],
  resume: (work) => work(),
};
