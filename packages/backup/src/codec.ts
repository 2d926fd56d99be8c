import { promisify } from "node:util";
import { brotliCompress, brotliDecompress, constants } from "node:zlib";

// A chunk is stored behind one byte that says how: brotli is the best that Node 20 has built in.

const RAW = 0;
const BROTLI = 1;

/** As small as deflate at its default, and a third faster; higher ones are slower than networks. */
const QUALITY = 4;

const compress = promisify(brotliCompress);
const decompress = promisify(brotliDecompress);

/** As bits: the largest chunk. A larger window takes memory, and finds nothing more. */
const WINDOW_BITS = 21;

/** Output in one piece: many small ones fragment the memory of the process, which then grows with what is backed up. */
const inOnePiece = (length: number) => ({ chunkSize: Math.max(constants.Z_MIN_CHUNK, length) });

/** Compresses a chunk, unless that makes it no smaller. */
export async function encodeChunk(chunk: Uint8Array): Promise<Uint8Array> {
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: QUALITY,
    [constants.BROTLI_PARAM_SIZE_HINT]: chunk.length,
    [constants.BROTLI_PARAM_LGWIN]: WINDOW_BITS,
  };
  const compressed = await compress(chunk, { params, ...inOnePiece(chunk.length) });
  return compressed.length < chunk.length ? join(BROTLI, compressed) : join(RAW, chunk);
}

function join(codec: number, bytes: Uint8Array): Uint8Array {
  const joined = new Uint8Array(1 + bytes.length);
  joined[0] = codec;
  joined.set(bytes, 1);
  return joined;
}

/**
 * Returns the chunk; `undefined` if it is of another length, or malformed.
 *
 * @param length - of the chunk: nothing longer is ever in memory
 */
export async function decodeChunk(encoded: Uint8Array, length: number): Promise<Uint8Array | undefined> {
  const bytes = encoded.subarray(1);
  if (encoded[0] === RAW) return bytes.length === length ? bytes : undefined;
  if (encoded[0] !== BROTLI) return undefined;
  const limits = { maxOutputLength: Math.max(length, 1), ...inOnePiece(length) };
  const chunk = await decompress(bytes, limits).catch(() => undefined);
  return chunk?.length === length ? chunk : undefined;
}
