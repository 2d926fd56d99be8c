import { mapInOrder } from "../../base/async/parallel.ts";
import { invalidOption } from "../../base/errors/input.ts";
import type { ResolvedCall } from "../../base/options.ts";
import { collectBytes } from "../../base/streams/bytes.ts";
import { toStream } from "../../base/streams/reading.ts";
import { openRangeDecryptor } from "../../formats/crypto/decrypt-range.ts";
import { HEADER_BYTES, plaintextSize } from "../../formats/crypto/file-format.ts";
import { MAX_BLOCK_BYTES } from "./block-id.ts";
import type { GatewayReport } from "./gateways.ts";
import { type FileSource, findFile, readFile } from "./read-file.ts";

/** A file on the network that can be read at any position. */
export interface OpenFile {
  /** Content id of the file as it is stored, version 1 in base32. */
  readonly cid: string;
  /** In bytes. */
  readonly size: number;
  /** Returns bytes `from` to `to` (exclusive). */
  read(from: number, to: number): Promise<Uint8Array>;
  /** Streams the file, or a part of it; the next parts are fetched while one is read. */
  stream(options?: StreamOptions): ReadableStream<Uint8Array>;
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

  function stream({ mayJump = false, ...range }: StreamOptions = {}): ReadableStream<Uint8Array> {
    const { from, to } = checkRange(range, size);
    const chunks = readRange(from, to);
    return toStream(mayJump ? warmUp(source, chunks) : chunks, undefined, 0);
  }

  return { cid: source.file, size, read, stream, gateways: () => source.gateways.report() };
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

/** Options of a stream of a file. */
export interface StreamOptions extends ByteRange {
  /** Whether another part may be read next, as by a player: what leads there is fetched meanwhile. @default false */
  mayJump?: boolean | undefined;
}

/**
 * Finds an encrypted file, whose key is not known yet, by its content id.
 *
 * @throws `CANNOT_DECRYPT` for a file that is too short; what {@link findFile} throws
 */
export async function openEncryptedBlocks(cid: string, call: ResolvedCall) {
  const source = await findFile(cid, "", call);
  const size = plaintextSize(source.root.size);
  const readStored = (from: number, to: number) => readFile(source, { from, to }, call.signal);

  return {
    /** Reads the whole file as it is stored, to prove a key. */
    readAll: () => readStored(0, source.root.size),
    /** Opens it with a key that is proved. */
    async decryptWith(masterKey: string): Promise<OpenFile> {
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
