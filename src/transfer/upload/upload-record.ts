import { getEntries } from "../../journal/handle.ts";
import type { KeyShard } from "../../kavach/shards/sharing.ts";
import type { SourceFile } from "../../platform/types.ts";
import type { UploadEncryptedOptions } from "./encrypted-upload-options.ts";
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
  /** Returns whom the file at an index is shared to, if not to those of the options: some were revoked meanwhile. */
  shareTo(index: number): readonly string[] | undefined;
  /** Runs work that continues the upload. */
  resume<T>(work: () => Promise<T>): Promise<T>;
}

/** The content ids that an upload node may return for one encrypted file. */
export interface RecordedCids {
  cids: readonly string[];
  /** Of the encrypted file, in bytes. */
  size: number;
}

const keepNothing = async () => undefined;

/** Keeps nothing. */
const unrecorded: UploadRecord = {
  expect: keepNothing,
  locate: keepNothing,
  save: () => undefined,
  saved: () => [],
  shareTo: () => undefined,
  resume: (work) => work(),
};

/** The key of one file, whole and split. */
export interface FileKey {
  masterKey: string;
  keyShards: readonly KeyShard[];
}

/** An encrypted upload of which nothing is sent yet. */
export interface UnsentUpload {
  /** Address. */
  owner: string;
  files: readonly SourceFile[];
  /** Of the file at each index. */
  keys: readonly FileKey[];
  options: UploadEncryptedOptions;
  /** If they are those of a folder, and its manifest after them. */
  folder?: RecordedFolder | undefined;
}

/** A folder whose files and manifest are uploaded. */
interface RecordedFolder {
  name: string;
  /** Of the file at each index. */
  paths: readonly string[];
  /** Set if all files have one master key. */
  oneKey: true | undefined;
}

/**
 * Records an upload in the journal of its options, if there is one, and runs it.
 *
 * @throws `INVALID_OPTION` for a journal that `openJournal` did not return; what `work` throws
 */
export async function recordUpload<T>(upload: UnsentUpload, work: (record: UploadRecord) => Promise<T>): Promise<T> {
  const { journal } = upload.options;
  if (journal === undefined) return work(unrecorded);
  getEntries(journal);
  const { runJournaled } = await import("./journaled-upload.ts");
  return runJournaled(journal, upload, work);
}
