import { throwIfAborted } from "../../async/abort.ts";
import { TRANSFER_TIMEOUT_MS } from "../../config/limits.ts";
import { receive } from "../../http/receive.ts";
import { type CallOptions, callOptionNames, type ResolvedCall, resolveCall } from "../../options.ts";
import type { SavedFile } from "../../platform/types.ts";
import { toChunks } from "../../streams/chunks.ts";
import { checkBoolean } from "../../validation/boolean.ts";
import { checkOptions } from "../../validation/check-options.ts";
import { checkCid } from "../../validation/cid.ts";
import { createProgress, DOWNLOAD_STAGES, type OnProgress, type ProgressReporter } from "../progress.ts";
import {
  type AsBlob,
  type AsBytes,
  type AsStream,
  type OutputOptions,
  type OutputSink,
  openOutput,
  outputOptionNames,
  type ToPath,
} from "./output.ts";

/** Options of {@link download}. */
export interface DownloadOptions extends CallOptions {
  /**
   * Compute the content id of the bytes, as Kubo does by default, and release nothing unless it is the requested
   * one. A file that was split into blocks in another way is rejected too, and so is a folder. Default `false`.
   */
  verifyCid?: boolean | undefined;
  /** Receives how far the download is. */
  onProgress?: OnProgress | undefined;
}

export const downloadNames = [callOptionNames, outputOptionNames, "verifyCid,onProgress"] as const;

/**
 * Downloads a file as it is stored, whole or not at all. If a gateway marks the end of the file only by closing the
 * connection, its content id is computed as with `verifyCid`, since nothing else reveals a truncated file.
 *
 * @returns by the options: bytes (default), a Blob or a stream (`as`), or where it was saved (`to`)
 * @throws `INVALID_CID`, `INVALID_OPTION`, `CANNOT_WRITE`, `UNSUPPORTED`, `HTTP_STATUS`, `NETWORK`,
 * `TIMEOUT`, `ABORTED`; `RESPONSE_TOO_LARGE` for more bytes than one array holds (save those to a
 * file, or use a stream); with `verifyCid` `CID_MISMATCH` (`details`: `expected`, `got`), or `UNSUPPORTED` for an id of
 * another kind than Kubo's defaults yield. Nothing is left at `to` after a failure.
 *
 * @example
 * await download(cid, { to: "./photo.jpg" });
 */
export function download(cid: string, options: DownloadOptions & ToPath): Promise<SavedFile>;
export function download(cid: string, options: DownloadOptions & AsBlob): Promise<Blob>;
export function download(cid: string, options: DownloadOptions & AsStream): Promise<ReadableStream<Uint8Array>>;
export function download(cid: string, options?: DownloadOptions & AsBytes): Promise<Uint8Array<ArrayBuffer>>;
export async function download(cid: string, options: DownloadOptions & OutputOptions = {}): Promise<unknown> {
  checkOptions(options, downloadNames);
  checkBoolean("verifyCid", options.verifyCid);
  cid = checkCid(cid);
  const call = resolveCall(options, TRANSFER_TIMEOUT_MS);
  const progress = createProgress(options.onProgress, DOWNLOAD_STAGES);
  const transform = await createCidVerifier(cid, options.verifyCid);
  const sink = await openOutput(options);
  try {
    await fetchInto(sink, cid, { call, progress, transform, provesEnd: options.verifyCid === true });
    const result = await sink.commit();
    progress.done();
    return result;
  } catch (error) {
    await sink.abandon();
    throw error;
  }
}

type ChunkTransform = (chunks: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>;

/** Returns a check of a file's content id if `verifyCid` is set, whose code is loaded only then; otherwise the identity. */
export async function createCidVerifier(cid: string, verifyCid: boolean | undefined): Promise<ChunkTransform> {
  if (!verifyCid) return (chunks) => chunks;
  const { verifyChunks } = await import("../cid-checks.ts");
  return verifyChunks(cid);
}

/** How the bytes of a file get from the gateway into a sink. */
interface FetchOptions {
  call: ResolvedCall;
  progress: ProgressReporter;
  /** Applied to them on the way. */
  transform: ChunkTransform;
  /** Whether `transform` fails for a truncated file. */
  provesEnd: boolean;
  /** How many bytes of the file `transform` removes. Default 0. */
  overhead?: number;
}

/** Fetches a file from the gateway into a sink, which may be committed only if this succeeds. */
export async function fetchInto(sink: OutputSink, cid: string, options: FetchOptions): Promise<void> {
  const { call, progress, transform, provesEnd, overhead = 0 } = options;
  await receive(
    {
      method: "POST",
      base: call.endpoints.gateway,
      path: `/api/v0/cat/${cid}`,
      retries: true,
      signal: call.signal,
      timeoutMs: call.timeoutMs,
      idleTimeoutMs: call.idleTimeoutMs,
    },
    async ({ size, endIsProven, chunks }) => {
      if (size !== undefined) sink.announce?.(size - overhead);
      // If nothing else proves that the file is complete, its content id does.
      const verifyEnd = await createCidVerifier(cid, !endIsProven && !provesEnd);
      await writeAll(sink, transform(verifyEnd(countBytes(chunks, size, progress))), call.signal);
    },
  );
}

/** Writes all chunks to a sink. An abort rejects at once, even while their source is busy. */
export async function writeAll(
  sink: OutputSink,
  chunks: AsyncIterable<Uint8Array>,
  signal: AbortSignal | undefined,
): Promise<void> {
  for await (const chunk of toChunks(chunks, signal)) await sink.write(chunk);
  throwIfAborted(signal);
}

/** Passes chunks through and reports how many bytes were loaded. */
async function* countBytes(
  chunks: AsyncIterable<Uint8Array>,
  size: number | undefined,
  progress: ProgressReporter,
): AsyncGenerator<Uint8Array> {
  let loaded = 0;
  for await (const chunk of chunks) {
    loaded += chunk.length;
    progress.report("downloading", loaded, size);
    yield chunk;
  }
}
