import { throwIfAborted } from "../../async/abort.ts";
import { TRANSFER_TIMEOUT_MS } from "../../config/limits.ts";
import { receive } from "../../http/receive.ts";
import { type CallOptions, callOptionNames, type ResolvedCall, resolveCall } from "../../options.ts";
import type { SavedFile } from "../../platform/types.ts";
import { toChunks } from "../../streams/chunks.ts";
import { checkOptions } from "../../validation/check-options.ts";
import { checkCid } from "../../validation/cid.ts";
import { createProgress, type OnProgress, type ProgressReporter } from "../progress.ts";
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
   * Compute the content id of the bytes, as Kubo does by default, and give nothing out unless it is the one
   * asked for. A file that was cut into blocks in another way is refused too, and so is a folder. Default `false`.
   */
  verifyCid?: boolean | undefined;
  /** Hears how far the download is. */
  onProgress?: OnProgress | undefined;
}

export const downloadNames = [callOptionNames, outputOptionNames, "verifyCid,onProgress"] as const;

/**
 * Downloads a file as it is stored, whole or not at all. Where the closing of the connection is the only end that a
 * gateway gives the file, its content id is computed as with `verifyCid`, since nothing else shows a cut.
 *
 * @returns by the options: bytes (default), a Blob or a stream (`as`), or where it was saved (`to`)
 * @throws `INVALID_CID`, `INVALID_OPTION`, `CANNOT_WRITE`, `UNSUPPORTED`, `HTTP_STATUS`, `NETWORK`,
 * `TIMEOUT`, `ABORTED`; `RESPONSE_TOO_LARGE` for more bytes than one array holds, which only a file or a stream can take; with `verifyCid` `CID_MISMATCH` (`details`: `expected`, `got`), or `UNSUPPORTED` for
 * an id of another kind than Kubo's defaults give. Nothing is left at `to` after a failure.
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
  cid = checkCid(cid);
  const call = resolveCall(options, TRANSFER_TIMEOUT_MS);
  const progress = createProgress(options.onProgress, { downloading: 1 });
  const through = await createCidVerifier(cid, options.verifyCid);
  const sink = await openOutput(options);
  try {
    await fetchInto(sink, cid, { call, progress, through, provesEnd: options.verifyCid === true });
    const result = await sink.commit();
    progress.done();
    return result;
  } catch (error) {
    await sink.abandon();
    throw error;
  }
}

type CidVerifier = (pieces: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>;

/** What the bytes of a file pass: a check of its content id if that is wanted, whose code is loaded only then. */
export async function createCidVerifier(cid: string, verifyCid: boolean | undefined): Promise<CidVerifier> {
  if (!verifyCid) return (pieces) => pieces;
  const { verifyChunks } = await import("../verify-cid.ts");
  return verifyChunks(cid);
}

/** How the bytes of a file get from the gateway into a sink. */
interface Fetching {
  call: ResolvedCall;
  progress: ProgressReporter;
  /** What happens to them on the way. */
  through: CidVerifier;
  /** Whether that fails for a file that was cut. */
  provesEnd: boolean;
  /** How many bytes of the file do not come out of it. Default 0. */
  overhead?: number;
}

/** Fetches a file from the gateway into a sink, which is to be committed only if this ends well. */
export async function fetchInto(sink: OutputSink, cid: string, fetching: Fetching): Promise<void> {
  const { call, progress, through, provesEnd, overhead = 0 } = fetching;
  await receive(
    {
      method: "POST",
      base: call.endpoints.gateway,
      path: `/api/v0/cat/${cid}`,
      signal: call.signal,
      timeoutMs: call.timeoutMs,
      idleTimeoutMs: call.idleTimeoutMs,
    },
    async ({ size, endIsProven, chunks }) => {
      if (size !== undefined) sink.announce?.(size - overhead);
      // Where nothing says that all of it came, the content id does.
      const whole = await createCidVerifier(cid, !endIsProven && !provesEnd);
      await fill(sink, through(whole(counted(chunks, size, progress))), call.signal);
    },
  );
}

/** Writes all bytes to a sink. What they come through may think for longer than an abort may take. */
export async function fill(
  sink: OutputSink,
  pieces: AsyncIterable<Uint8Array>,
  signal: AbortSignal | undefined,
): Promise<void> {
  for await (const piece of toChunks(pieces, signal)) await sink.write(piece);
  throwIfAborted(signal);
}

async function* counted(
  pieces: AsyncIterable<Uint8Array>,
  size: number | undefined,
  progress: ProgressReporter,
): AsyncGenerator<Uint8Array> {
  let loaded = 0;
  for await (const piece of pieces) {
    loaded += piece.length;
    progress.report("downloading", loaded, size);
    yield piece;
  }
}
