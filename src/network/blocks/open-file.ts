import { mapInOrder } from "../../base/async/parallel.ts";
import { invalidOption } from "../../base/errors/input.ts";
import type { ResolvedCall } from "../../base/options.ts";
import { collectBytes, toHex } from "../../base/streams/bytes.ts";
import { toStream } from "../../base/streams/to-stream.ts";
import { openRangeDecryptor } from "../../formats/crypto/decrypt-range.ts";
import { HEADER_BYTES, plaintextSize } from "../../formats/crypto/file-format.ts";
import { MAX_BLOCK_BYTES } from "./block-id.ts";
import type { GatewayReport } from "./gateways.ts";
import { type FileSource, findFile, readFile } from "./read-file.ts";

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
function toOpenFile(
  source: FileSource,
  size: number,
  readRange: (from: number, to: number) => AsyncGenerator<Uint8Array>,
): OpenFile {
  async function read(from: number, to: number): Promise<Uint8Array> {
    const range = checkRange({ from, to }, size);
    return collectBytes(readRange(range.from, range.to));
  }

  function stream(range: ByteRange = {}): ReadableStream<Uint8Array> {
    const { from, to } = checkRange(range, size);
    return toStream(readRange(from, to), undefined, 0);
  }

  let known: string | undefined;
  async function getType(): Promise<string> {
    // Once only: a player requests many ranges, and the start of the file may not be in memory any more.
    known ??= sniffType(await read(0, Math.min(size, SNIFFED_BYTES)));
    return known;
  }

  // A player may seek next.
  const streamAndWarmUp = (from: number, to: number) => toStream(warmUp(source, readRange(from, to)), undefined, 0);
  return {
    size,
    read,
    stream,
    response: async (request) => respond({ size, type: await getType() }, streamAndWarmUp, request),
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

/** A part of a file, in bytes. */
export interface ByteRange {
  /** Position of the first byte. @default 0 */
  from?: number | undefined;
  /** Position after the last byte; beyond the end of the file it means the end. @default the size of the file */
  to?: number | undefined;
}

/** An encrypted file whose key is not known yet. */
export interface EncryptedBlocks {
  /** Reads the whole file as it is stored, to prove a key. */
  readAll(): AsyncGenerator<Uint8Array>;
  /** Opens it with a key that is proved. */
  decryptWith(masterKey: string): Promise<OpenFile>;
}

/**
 * Finds an encrypted file by its content id.
 *
 * @throws `CANNOT_DECRYPT` for a file that is too short; what {@link findFile} throws
 */
export async function openEncryptedBlocks(cid: string, call: ResolvedCall): Promise<EncryptedBlocks> {
  const source = await findFile(cid, "", call);
  const size = plaintextSize(source.root.size);
  const readStored = (from: number, to: number) => readFile(source, { from, to }, call.signal);

  return {
    readAll: () => readStored(0, source.root.size),
    async decryptWith(masterKey) {
      const header = await collectBytes(readStored(0, HEADER_BYTES));
      const { decrypt } = await openRangeDecryptor(masterKey, header);

      async function* read(from: number, to: number): AsyncGenerator<Uint8Array> {
        let position = from;
        for await (const part of readStored(HEADER_BYTES + from, HEADER_BYTES + to)) {
          yield await decrypt(part, position);
          position += part.length;
        }
      }
      return toOpenFile(source, size, read);
    },
  };
}

/** Answers a request for a file, or for a range of it (RFC 9110, section 14), as players of film and sound make them. */
function respond(
  { size, type }: { size: number; type: string },
  stream: (from: number, to: number) => ReadableStream<Uint8Array>,
  request?: Pick<Request, "method" | "headers">,
): Response {
  const headers = new Headers({
    "Accept-Ranges": "bytes",
    "Content-Type": type,
    // No scripts, whatever the file is.
    "Content-Security-Policy": "sandbox",
    "X-Content-Type-Options": "nosniff",
  });
  const range = readRange(request?.headers.get("range") ?? "", size);
  if (range === "unsatisfiable") {
    headers.set("Content-Range", `bytes */${size}`);
    return new Response(null, { status: 416, headers });
  }
  const { from, to } = range ?? { from: 0, to: size };
  headers.set("Content-Length", String(to - from));
  if (range) headers.set("Content-Range", `bytes ${from}-${to - 1}/${size}`);
  const body = request?.method === "HEAD" ? null : stream(from, to);
  return new Response(body, { status: range ? 206 : 200, headers });
}

/** Parses a `Range` of one range; other headers are ignored, as the RFC allows. */
function readRange(header: string, size: number): { from: number; to: number } | "unsatisfiable" | undefined {
  const [, first = "", last = ""] = /^bytes=(\d*)-(\d*)$/.exec(header.trim()) ?? [];
  if (first === "" && last === "") return undefined;
  if (first === "") {
    const length = Math.min(Number(last), size);
    return length === 0 ? "unsatisfiable" : { from: size - length, to: size };
  }
  const from = Number(first);
  const to = last === "" ? size : Math.min(Number(last) + 1, size);
  if (last !== "" && Number(last) < from) return undefined;
  return from < size ? { from, to } : "unsatisfiable";
}

/** How many bytes of a file reveal its type. */
const SNIFFED_BYTES = 16;

/** Types that are safe to show, and how files of them start: bytes in hex, with dots for any half byte. */
const SIGNATURES: readonly (readonly [start: string, type: string])[] = [
  ["........66747970" + "61766966", "image/avif"],
  ["........66747970" + "4d344120", "audio/mp4"],
  ["........66747970", "video/mp4"],
  ["1a45dfa3", "video/webm"],
  ["4f676753", "application/ogg"],
  ["494433", "audio/mpeg"],
  ["fff[b3a2]", "audio/mpeg"],
  ["fff[19]", "audio/aac"],
  ["664c6143", "audio/flac"],
  ["52494646........57415645", "audio/wav"],
  ["52463634........57415645", "audio/wav"],
  ["52494646........57454250", "image/webp"],
  ["ffd8ff", "image/jpeg"],
  ["89504e470d0a1a0a", "image/png"],
  ["474946383[79]61", "image/gif"],
  ["255044462d", "application/pdf"],
];

/**
 * Guesses a file's type from its first {@link SNIFFED_BYTES}. Only images, sound, film and PDF are named: everything else,
 * such as HTML and SVG, which could run scripts, is `application/octet-stream`.
 */
function sniffType(start: Uint8Array): string {
  const hex = toHex(start);
  return SIGNATURES.find(([pattern]) => new RegExp(`^${pattern}`).test(hex))?.[1] ?? "application/octet-stream";
}

/** Blocks that are fetched ahead at once: few, as the reader's own requests come first. */
const AT_ONCE = 2;

/**
 * Passes the chunks of a large file through, and meanwhile fetches the blocks that lead to its other parts, so that a
 * player that seeks waits for one round trip less. Ends with the chunks.
 */
async function* warmUp(source: FileSource, chunks: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  const end = new AbortController();
  let warming: Promise<void> | undefined;
  try {
    for await (const chunk of chunks) {
      yield chunk;
      // What fails is fetched again when it is read.
      warming ??= fetchInnerNodes(source, end.signal).catch(() => undefined);
    }
  } finally {
    end.abort();
    await warming;
  }
}

async function fetchInnerNodes({ root, readBlock }: FileSource, signal: AbortSignal): Promise<void> {
  const inner = root.parts.filter(({ size }) => size > MAX_BLOCK_BYTES);
  const fetched = mapInOrder(inner, { limit: AT_ONCE, signal }, ({ id }, ended) => readBlock(id, ended));
  while (!(await fetched.next()).done);
}
