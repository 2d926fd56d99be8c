import {
  type EncryptedFolder,
  isUnfinished,
  type Progress,
  type Source,
  type UnfinishedError,
  type UploadedFiles,
} from "keeplight";

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
  if ("name" in source) return { name: source.name, ...(source.size === undefined ? {} : { size: source.size }) };
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

/** An error whose `resume()` finishes the upload without further options: the files are stored, some keys are not. */
export type ResumableError = UnfinishedError<UploadedFiles | EncryptedFolder, { signal?: AbortSignal }>;

/** Whether a failed upload can resume where it stopped, instead of sending its files again. */
export function isResumable(error: unknown): error is ResumableError {
  return isUnfinished(error) && Array.isArray(error.details["unfinished"]);
}
