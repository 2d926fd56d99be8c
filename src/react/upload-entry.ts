import { type Progress, type Source, UnfinishedError, type UploadedFiles } from "../index.ts";

/** Where one upload is. */
export type UploadState =
  | { status: "waiting" }
  | { status: "running"; progress?: Progress }
  | { status: "done"; files: UploadedFiles }
  | { status: "failed"; error: Error }
  | { status: "aborted" };

/** One upload of a list: one source, which may be a file, or a folder's files. */
export interface UploadEntry {
  /** For `abort`, `retry` and `clear`, and as a React key. */
  id: string;
  /** What is uploaded. */
  source: Source;
  /** For people: the name of the file, or of the folder. */
  name: string;
  /** In bytes, where it is known. */
  size?: number;
  /** Where its upload is. */
  state: UploadState;
}

/** All uploads of a list together. */
export interface UploadTotal {
  /** How many there are, by where they are. */
  count: Record<UploadState["status"], number>;
  /** Whether one is waiting or running. */
  active: boolean;
  /** In bytes, of those whose size is known. */
  size: number;
  /** Of all but the aborted ones, by their sizes: 0 to 1, and 1 when all are done. */
  fraction: number;
}

/** Name and size of a source, as far as it tells. */
export function describeSource(source: Source): { name: string; size?: number } {
  if (typeof Blob !== "undefined" && source instanceof Blob) return { name: blobName(source), size: source.size };
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

function blobName(blob: Blob): string {
  if (!(blob instanceof File)) return "blob";
  return blob.webkitRelativePath || blob.name;
}

/** Sums up a list. */
export function computeTotal(entries: readonly UploadEntry[]): UploadTotal {
  const count = { waiting: 0, running: 0, done: 0, failed: 0, aborted: 0 };
  let size = 0;
  let weights = 0;
  let done = 0;
  for (const entry of entries) {
    count[entry.state.status]++;
    if (entry.state.status === "aborted") continue;
    size += entry.size ?? 0;
    // An empty file is some work too.
    const weight = (entry.size ?? 0) + 1;
    weights += weight;
    done += weight * computeFraction(entry.state);
  }
  return { count, active: count.waiting + count.running > 0, size, fraction: weights === 0 ? 0 : done / weights };
}

function computeFraction(state: UploadState): number {
  if (state.status === "done") return 1;
  return state.status === "running" ? (state.progress?.fraction ?? 0) : 0;
}

/** An error whose `resume()` does the rest without being told anything: the files are stored, some keys are not. */
export type Resumable = UnfinishedError<UploadedFiles, { signal?: AbortSignal }>;

/** Whether a failed upload can go on where it stopped, instead of being sent again. */
export function isResumable(error: unknown): error is Resumable {
  return error instanceof UnfinishedError && Array.isArray(error.details["unfinished"]);
}
