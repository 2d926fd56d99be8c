import { TRANSFER_TIMEOUT_MS } from "../config/limits.ts";
import { invalidOption } from "../errors/input.ts";
import { type CallOptions, callOptionNames, resolveCall } from "../options.ts";
import { concatBytes } from "../streams/bytes.ts";
import { checkOptions } from "../validation/check-options.ts";
import { checkCid } from "../validation/cid.ts";
import { findFile } from "./find-file.ts";
import type { GatewayReport } from "./gateways.ts";
import { readFile } from "./read-file.ts";
import { checkPath } from "./resolve-path.ts";

/** A part of a file, in bytes. */
export interface ByteRange {
  /** Position of the first byte. @default 0 */
  from?: number | undefined;
  /** Position after the last byte; at most the size of the file counts. @default the size of the file */
  to?: number | undefined;
}

/** A file on the network that can be read at any position. */
export interface OpenFile {
  /** In bytes. */
  readonly size: number;
  /** Returns bytes `from` to `to` (exclusive). */
  read(from: number, to: number): Promise<Uint8Array>;
  /** Streams the file, or a part of it; the next parts are fetched while one is read. */
  stream(range?: ByteRange): ReadableStream<Uint8Array>;
  /** How each gateway did until now. */
  gateways(): GatewayReport[];
}

/** Options of {@link openFile}. */
export interface OpenFileOptions extends CallOptions {
  /** Where the file is below `cid`, if that is a folder: names separated by slashes. */
  path?: string | undefined;
}

export const openFileNames = [callOptionNames, "path"] as const;

/**
 * Opens a file to read any part of it. Every block is verified before a byte of it is returned, so no gateway has to
 * be trusted: `endpoints.gateway` may be a list, of which one has to be up and send the right bytes. At most 32 MiB are
 * held, regardless of the size of the file.
 *
 * @returns the file; its calls throw what this one throws
 * @throws `INVALID_CID`, `INVALID_OPTION`, `PATH_NOT_FOUND`, `UNSUPPORTED` if no gateway sends blocks (`?format=raw` or
 * `?format=car`), for a folder and for a content id that is not of SHA-256 over UnixFS; `CID_MISMATCH` if
 * every gateway sends other bytes (`details.gateways`), `HTTP_STATUS`, `NETWORK`, `TIMEOUT`, `ABORTED`
 *
 * @example
 * const film = await openFile(cid);
 * const lastBytes = await film.read(film.size - 1000, film.size);
 */
export async function openFile(cid: string, options: OpenFileOptions = {}): Promise<OpenFile> {
  checkOptions(options, openFileNames);
  cid = checkCid(cid);
  const names = checkPath(options.path);
  const call = resolveCall(options, TRANSFER_TIMEOUT_MS);
  const source = await findFile(cid, names, call);
  const { size } = source.root;

  function read(from: number, to: number): AsyncGenerator<Uint8Array> {
    return readFile(source, { from, to }, call.signal);
  }

  return {
    size,
    async read(from, to) {
      const range = checkRange({ from, to }, size);
      const parts: Uint8Array[] = [];
      for await (const part of read(range.from, range.to)) parts.push(part);
      return concatBytes(parts);
    },
    stream(range = {}) {
      const { from, to } = checkRange(range, size);
      return toStream(read(from, to));
    },
    gateways: () => source.gateways.report(),
  };
}

function checkRange({ from = 0, to }: ByteRange, size: number): { from: number; to: number } {
  const end = Math.min(to ?? size, size);
  if (!Number.isSafeInteger(from) || from < 0) throw invalidOption("from", "a position in the file");
  if (!Number.isSafeInteger(end) || end < from) throw invalidOption("to", "a position that is not before `from`");
  return { from, to: end };
}

function toStream(chunks: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await chunks.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      async cancel() {
        await chunks.return(undefined);
      },
    },
    { highWaterMark: 0 },
  );
}
