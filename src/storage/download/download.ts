import { boolean, callback, type OptionSchema, optional, type Resolved, resolveOptions } from "../../base/operation.ts";
import { type CallOptions, transferSchema } from "../../base/options.ts";
import { checkChunkProfile } from "../../formats/cid/chunk-profile.ts";
import { checkCid } from "../../formats/cid/content-id.ts";
import { type JournalLike, journalSchema } from "../../journal/handle.ts";
import type { DownloadReport } from "../../network/blocks/transfer.ts";
import type { SavedFile } from "../../platform/types.ts";
import { loadOnDemand } from "../load-on-demand.ts";
import { createProgress, DOWNLOAD_STAGES, type OnProgress } from "../progress.ts";
import type { DownloadKind, DownloadOperation, EntryOptions, PartialDownload } from "./download-entry.ts";
import {
  type AsBlob,
  type AsBytes,
  type AsStream,
  checkOutput,
  fillOutput,
  type Output,
  type OutputOptions,
  outputSchema,
  type ToPath,
  type ToPathOrBytes,
} from "./output.ts";

/** Options of {@link download}. */
export interface DownloadOptions extends CallOptions {
  /**
   * Whether to return only bytes that are proved to be those of the content id: by blocks, if any gateway sends them,
   * regardless of how the file was split, or as a known way to split files yields the content id. Anything else is
   * refused, and so is a folder. With `false` nothing is verified: a gateway can return any bytes.
   *
   * @default true
   */
  verifyCid?: boolean | undefined;
  /**
   * How the file was split into blocks, if a share link, a recovery kit or the manifest of a folder has it: verifies the
   * file even if no gateway sends blocks. CID version, bytes per leaf and links per node, such as `1-262144-174`.
   *
   * @default the ways in which upload nodes split files by default
   */
  chunkProfile?: string | undefined;
  /**
   * Of a file that is saved (`to`): keeps what has arrived if the call fails or this process ends. The same call, or
   * `resume` of the journal, verifies that by the file's blocks and fetches the rest; without verified blocks it starts
   * again. `JOURNAL_ENTRY_BUSY` while another call or process saves the same file to the same path.
   *
   * @default none
   */
  journal?: JournalLike | undefined;
  /** Receives how far the download is. @default none */
  onProgress?: OnProgress | undefined;
  /**
   * Receives whether the file was verified, and how each gateway did, once it is there: what it throws or rejects with is ignored.
   *
   * @default none
   */
  onDownloaded?: ((report: DownloadReport) => void) | undefined;
}

export const downloadSchema = {
  ...transferSchema,
  ...outputSchema,
  ...journalSchema,
  verifyCid: boolean(true),
  chunkProfile: optional(checkChunkProfile),
  onProgress: callback<OnProgress>(),
  onDownloaded: callback<(report: DownloadReport) => void>(),
} satisfies OptionSchema<DownloadOptions & OutputOptions>;

export const downloadOperation = {
  options: downloadSchema,
  fetch: fetchFile,
} satisfies DownloadOperation<DownloadOptions>;

/**
 * Downloads a file as it is stored, whole, with the bytes of its content id, or not at all. If one of `endpoints.gateway`
 * is down, refuses or sends bytes that are wrong or cannot be verified, the next one continues where it failed. If a
 * gateway marks the end of the file only by closing the connection, its content id is computed even with
 * `verifyCid: false`, since nothing else reveals a truncated file.
 *
 * @returns by the options: bytes (default), a Blob or a stream (`as`), or where it was saved (`to`)
 * @throws `INVALID_CID`, `INVALID_OPTION`, `CANNOT_WRITE`, `HTTP_STATUS` (`details.advice` if the gateway requires a plan),
 * `NETWORK`, `TIMEOUT`, `ABORTED`; `RESPONSE_TOO_LARGE` for more bytes than one array holds (save those to a
 * file, or use a stream); `CID_MISMATCH` for other bytes than those of the content id; `NOT_VERIFIED` if no
 * gateway sends blocks and no known way to split files yields the content id, which may be of any other kind than SHA-256
 * over UnixFS; `UNSUPPORTED` for a folder. Nothing is left at `to` after a failure.
 *
 * @example
 * await download(cid, { to: "./photo.jpg" });
 */
export function download(cid: string, options: DownloadOptions & ToPath): Promise<SavedFile>;
export function download(cid: string, options: DownloadOptions & AsBlob): Promise<Blob>;
export function download(cid: string, options: DownloadOptions & AsStream): Promise<ReadableStream<Uint8Array>>;
export function download(cid: string, options?: DownloadOptions & AsBytes): Promise<Uint8Array<ArrayBuffer>>;
export function download(
  cid: string,
  options: DownloadOptions & ToPathOrBytes,
): Promise<SavedFile | Uint8Array<ArrayBuffer>>;
export async function download(cid: string, options: DownloadOptions & OutputOptions = {}): Promise<Output> {
  const resolved = resolveOptions(downloadSchema, options);
  checkOutput(resolved);
  return withDownloadEntry("download", checkCid(cid), resolved, fetchFile);
}

async function fetchFile(
  cid: string,
  options: Resolved<typeof downloadSchema>,
  partial?: PartialDownload,
): Promise<Output> {
  const progress = createProgress(options.onProgress, DOWNLOAD_STAGES);
  const { openTransfer } = await loadOnDemand();
  const transfer = openTransfer(cid, options, { progress, partial });

  let file: Output;
  if (partial) {
    // To where its start is kept, and nowhere else.
    await transfer.into({ write: async () => undefined, restart: async () => undefined });
    await partial.confirm();
    file = await partial.commit();
  } else file = await fillOutput(options, transfer.into);
  progress.done();
  transfer.report();
  return file;
}

/** Runs a download, with an entry in its journal if it has one and saves a file. */
export async function withDownloadEntry<Options extends EntryOptions>(
  kind: DownloadKind,
  cid: string,
  options: Options,
  fetch: (cid: string, options: Options, partial?: PartialDownload) => Promise<Output>,
): Promise<Output> {
  const { to, journal } = options;
  if (to === undefined || !journal) return fetch(cid, options);
  const { openDownloadEntry, runWithEntry } = await import("./download-entry.ts");
  const entry = await openDownloadEntry(journal, kind, cid, to);
  return runWithEntry(entry, options, (partial) => fetch(cid, options, partial));
}
