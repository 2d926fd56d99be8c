import {
  type EncryptedFolder,
  isKeeplightError,
  isUnfinished,
  type Progress,
  type Source,
  type UnfinishedError,
  type UploadedFiles,
} from "keeplight";
import type { QueuedPlace } from "keeplight/parts";
import type { HeldOperations } from "./open-operations.ts";

/** The state of one upload. */
export type UploadState =
  | { status: "waiting" }
  | {
      status: "running";
      /** The latest report, if there was one. */
      progress?: Progress;
    }
  | {
      status: "done";
      /** What was stored; the first item is the root, or the manifest of an encrypted folder. */
      files: UploadedFiles;
    }
  | {
      status: "failed";
      /** Why it failed. */
      error: Error;
    }
  | { status: "aborted" };

/** One upload of a list: one source, which may be a file, or a folder's files. */
export interface UploadEntry {
  /** For `abort`, `retry` and `clear`, and as a React key. */
  id: string;
  /** What is uploaded. */
  source: Source;
  /** For display: the name of the file, or of the folder. */
  name: string;
  /** In bytes, if known. */
  size?: number;
  /**
   * Address of the account that it was added for, in lower case, if the provider has a signer whose address is known by
   * then. Uploads of an account that is no longer the provider's continue for their own.
   */
  account?: string;
  /** Replaced, together with its entry, on every change. */
  state: UploadState;
}

/** Name and size of a source, as far as they are known. */
export function describeSource(source: Source): { name: string; size?: number } {
  if (typeof Blob !== "undefined" && source instanceof Blob) return { name: getBlobName(source), size: source.size };
  if (source instanceof Uint8Array || source instanceof ArrayBuffer) return { name: "blob", size: source.byteLength };
  if (typeof source === "string" || source instanceof URL) return { name: String(source) };
  if ("name" in source) {
    const size = "size" in source ? source.size : undefined;
    return { name: source.name, ...(size !== undefined && { size }) };
  }
  if (!("length" in source)) return { name: "blob" };
  const parts = Array.from(source, describeSource);
  const size = parts.reduce((sum, part) => sum + (part.size ?? 0), 0);
  const [first] = parts;
  if (!first) return { name: "", size };
  const folder = first.name.split("/")[0] ?? "";
  const isFolder = parts.every(({ name }) => name.startsWith(`${folder}/`));
  return { name: isFolder ? folder : parts.length === 1 ? first.name : `${parts.length} files`, size };
}

/** Whether a source is the files of one folder. */
export function isFolderSource(source: Source): boolean {
  if (typeof source !== "object" || source instanceof URL || !("length" in source)) return false;
  const files: unknown[] = Array.from(source as ArrayLike<unknown>);
  const [folder] = files.map(getFolder);
  return folder !== undefined && files.every((file) => getFolder(file) === folder);
}

function getFolder(file: unknown): string | undefined {
  if (typeof File === "undefined" || !(file instanceof File)) return undefined;
  const end = file.webkitRelativePath?.indexOf("/") ?? -1;
  return end > 0 ? file.webkitRelativePath.slice(0, end) : undefined;
}

function getBlobName(blob: Blob): string {
  if (!(blob instanceof File)) return "blob";
  return blob.webkitRelativePath || blob.name;
}

/** An error whose `resume()` finishes the upload without further options. */
type ResumableError = UnfinishedError<UploadedFiles | EncryptedFolder, { signal?: AbortSignal }>;

/**
 * Whether a failed upload resumes where it stopped, instead of starting again: its files are stored, and some keys, or the
 * entries of a recovery kit, are not saved. One that is paid for always does, as it would be paid for again with another key.
 */
function isResumable(error: unknown, { payPerUpload }: { payPerUpload?: unknown }): error is ResumableError {
  if (!isUnfinished(error)) return false;
  const { unfinished, stored } = error.details;
  const isStored = Array.isArray(stored) && !isKeeplightError(error, "CID_MISMATCH");
  return payPerUpload !== undefined || Array.isArray(unfinished) || isStored;
}

/** Uploads one source; or completes the operation of the journal that an earlier call has left open. */
export type UploadCall<Options> = (
  source: Source,
  options: Options & { signal: AbortSignal; onProgress: (progress: Progress) => void },
  operationId: string | undefined,
  place: QueuedPlace | undefined,
) => Promise<UploadedFiles>;

/** An upload, and what it needs besides what is shown. */
export interface UploadJob<Options> extends JobState {
  /** What is shown of it. */
  entry: UploadEntry;
  /** The same object for all that were added together. */
  options: Options;
  /** Of the account that added or retried it: never of one that the page switched to while it waited. */
  call: UploadCall<Options>;
  accountId: string;
}

/** How far an upload is. */
interface JobState {
  /** Where it is recorded until it is stored, or has an entry of its own. */
  place?: QueuedPlace | undefined;
  /** Whether it is being recorded. */
  isRecording?: boolean;
  /** Of its current run. */
  controller?: AbortController;
  /** Settles once nothing of its latest run is under way. */
  ended?: Promise<void>;
  /** What a run has stored that was aborted too late. */
  files?: UploadedFiles;
  /** How to resume after a failure, without a journal. */
  unfinished?: ResumableError;
  /** What a failure has left open in the journal, and how to let others resume it. */
  left?: { operationId: string; release: () => void };
}

/** Whether an upload starts from its beginning, and no journal knows of it. */
export function isUnrecorded({ place, files, unfinished, left }: JobState): boolean {
  return !place && !files && !unfinished && !left;
}

/** Keeps how to continue a failed upload. */
export function keepRest(job: JobState & { options: object }, error: unknown, held: HeldOperations | undefined): void {
  const { operationId } = isUnfinished(error) ? error : {};
  if (operationId === undefined) {
    if (isResumable(error, job.options)) job.unfinished = error;
    // It was completed or discarded elsewhere: the next retry uploads again.
    if (isKeeplightError(error, "JOURNAL_ENTRY_UNKNOWN")) {
      releaseLeft(job);
      void job.place?.leave();
      delete job.place;
    }
  } else if (job.left?.operationId !== operationId) {
    releaseLeft(job);
    job.left = { operationId, release: held?.hold(operationId) ?? (() => undefined) };
  }
}

/** Lets others resume what a job has left open. */
export function releaseLeft(job: JobState): void {
  job.left?.release();
  delete job.left;
}

/** Ends the place of an upload: its user removes it, or leaves it to another page. */
export function endPlace({ place, ended }: Pick<JobState, "place" | "ended">, isRemoved: boolean): void {
  if (isRemoved) void place?.leave();
  // Until its run has ended it may be stored: then it is not to be offered.
  else void Promise.resolve(ended).then(() => place?.release());
}

/** Returns what an upload has stored; of an encrypted folder its manifest, then its files, as `resume` of a journal does. */
export function toUploadedFiles(stored: UploadedFiles | EncryptedFolder): UploadedFiles {
  if (Array.isArray(stored)) return stored as UploadedFiles;
  const { cid, name, size, files } = stored as EncryptedFolder;
  const manifest = { Name: name, Hash: cid, Size: String(size) };
  return [manifest, ...files.map((file) => ({ Name: file.path, Hash: file.cid, Size: String(file.size) }))];
}
