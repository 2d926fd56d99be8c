import { TRANSFER_TIMEOUT_MS } from "../config/limits.ts";
import { receive } from "../http/receive.ts";
import { throwIfAborted } from "../input/abort.ts";
import { checkOptions } from "../input/check-options.ts";
import { checkCid } from "../input/cid.ts";
import { type CallOptions, callOptionNames, type ResolvedCall, resolveCall } from "../options.ts";
import type { SavedFile } from "../platform/contract.ts";
import { piecesOf } from "../platform/pieces.ts";
import {
  type AsBlob,
  type AsBytes,
  type AsStream,
  type OutputOptions,
  openOutput,
  outputOptionNames,
  type ToPath,
} from "./output.ts";
import { createProgress, type OnProgress, type ProgressTeller } from "./progress.ts";

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
 * `TIMEOUT`, `ABORTED`; with `verifyCid` `CID_MISMATCH` (`details`: `expected`, `got`), or `UNSUPPORTED` for
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
  const through = await passage(cid, options.verifyCid);
  return fetchInto(cid, { call, output: options, progress, through, provesEnd: options.verifyCid === true });
}

type Passage = (pieces: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>;

/** What the bytes of a file pass: a check of its content id if that is wanted, whose code is loaded only then. */
export async function passage(cid: string, verifyCid: boolean | undefined): Promise<Passage> {
  if (!verifyCid) return (pieces) => pieces;
  const { verifyingPieces } = await import("./verify-cid.ts");
  return verifyingPieces(cid);
}

/** How the bytes of a file get from the gateway to the caller. */
interface Fetching {
  call: ResolvedCall;
  output: OutputOptions;
  progress: ProgressTeller;
  /** What happens to them on the way; the output is given out only if this ends well. */
  through: Passage;
  /** Whether that fails for a file that was cut. */
  provesEnd: boolean;
}

/** Fetches a file from the gateway into an output, all of it or nothing. */
export async function fetchInto(
  cid: string,
  { call, output, progress, through, provesEnd }: Fetching,
): Promise<unknown> {
  const sink = await openOutput(output);
  try {
    await receive(
      {
        method: "POST",
        base: call.endpoints.gateway,
        path: `/api/v0/cat/${cid}`,
        signal: call.signal,
        timeoutMs: call.timeoutMs,
        idleTimeoutMs: call.idleTimeoutMs,
      },
      async ({ size, endIsProven, pieces }) => {
        // Where nothing says that all of it came, the content id does.
        const whole = await passage(cid, !endIsProven && !provesEnd);
        // What the bytes go through may think for longer than an abort may take.
        const passed = piecesOf(through(whole(counted(pieces, size, progress))), call.signal);
        for await (const piece of passed) await sink.write(piece);
      },
    );
    throwIfAborted(call.signal);
    const result = await sink.commit();
    progress.done();
    return result;
  } catch (error) {
    await sink.abandon();
    throw error;
  }
}

async function* counted(
  pieces: AsyncIterable<Uint8Array>,
  size: number | undefined,
  progress: ProgressTeller,
): AsyncGenerator<Uint8Array> {
  let loaded = 0;
  for await (const piece of pieces) {
    loaded += piece.length;
    progress.tell("downloading", loaded, size);
    yield piece;
  }
}
