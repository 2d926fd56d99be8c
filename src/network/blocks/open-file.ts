import { invalidOption } from "../../base/errors/input.ts";
import type { ResolvedCall } from "../../base/options.ts";
import { concatBytes } from "../../base/streams/bytes.ts";
import type { ByteRange } from "./byte-range.ts";
import { findFile } from "./find-file.ts";
import type { GatewayReport } from "./gateways.ts";
import { type FileSource, readFile } from "./read-file.ts";
import { respond } from "./respond.ts";
import { SNIFFED_BYTES, sniffType } from "./sniff-type.ts";
import { warmUp } from "./warm-up.ts";

/** A file on the network that can be read at any position. */
export interface OpenFile {
  /** In bytes. */
  readonly size: number;
  /** Returns bytes `from` to `to` (exclusive). */
  read(from: number, to: number): Promise<Uint8Array>;
  /** Streams the file, or a part of it; the next parts are fetched while one is read. */
  stream(range?: ByteRange): ReadableStream<Uint8Array>;
  /**
   * Answers a request for the file, with its `Range` if it has one: for Service Workers and servers. The type is that of
   * an image, sound, film or PDF, or `application/octet-stream`: never one that runs scripts.
   */
  response(request?: Pick<Request, "method" | "headers">): Promise<Response>;
  /** Reports how each gateway did until now. */
  gateways(): GatewayReport[];
}

/** Opens a file whose content id is checked; see the public function `openFile`. */
export async function openVerifiedFile(cid: string, call: ResolvedCall, path = ""): Promise<OpenFile> {
  const source = await findFile(cid, path, call);
  const read = (from: number, to: number) => readFile(source, { from, to }, call.signal);
  return toOpenFile(source, source.root.size, read);
}

/** Makes an {@link OpenFile} of what reads a checked range of a source. */
export function toOpenFile(
  source: FileSource,
  size: number,
  readRange: (from: number, to: number) => AsyncGenerator<Uint8Array>,
): OpenFile {
  async function read(from: number, to: number): Promise<Uint8Array> {
    const range = checkRange({ from, to }, size);
    const parts: Uint8Array[] = [];
    for await (const part of readRange(range.from, range.to)) parts.push(part);
    return concatBytes(parts);
  }

  function stream(range: ByteRange = {}): ReadableStream<Uint8Array> {
    const { from, to } = checkRange(range, size);
    return toStream(readRange(from, to));
  }

  let known: string | undefined;
  async function getType(): Promise<string> {
    // Once only: a player requests many ranges, and the start of the file may not be in memory any more.
    known ??= sniffType(await read(0, Math.min(size, SNIFFED_BYTES)));
    return known;
  }

  // A player may seek next.
  const streamAndWarmUp = (from: number, to: number) => toStream(warmUp(source, readRange(from, to)));
  return {
    size,
    read,
    stream,
    response: (request) => respond({ size, getType, stream: streamAndWarmUp }, request),
    gateways: () => source.gateways.report(),
  };
}

function checkRange({ from = 0, to }: ByteRange, size: number): { from: number; to: number } {
  const end = Math.min(to ?? size, size);
  if (!Number.isSafeInteger(from) || from < 0) throw invalidOption("from", "a position in the file");
  if (!Number.isSafeInteger(end) || end < Math.min(from, size)) {
    throw invalidOption("to", "a position that is not before `from`");
  }
  return { from: Math.min(from, end), to: end };
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
