/** How a stream is cut into chunks. Sizes are in bytes. */
export interface ChunkSizes {
  min: number;
  average: number;
  max: number;
  /** The mask until the average size: harder to meet. */
  strict: bigint;
  /** The mask beyond it: easier to meet. */
  loose: bigint;
}

/** 256 random numbers of 64 bits. */
export interface Gear {
  high: Uint32Array;
  low: Uint32Array;
}

const KIB = 1024;

// The masks are those of FastCDC's reference implementation, at normalization level 1.

/** How files are cut. */
export const FILE_SIZES: ChunkSizes = {
  min: 256 * KIB,
  average: 512 * KIB,
  max: 2048 * KIB,
  strict: 0x0000d91747537000n,
  loose: 0x0000d90707537000n,
};

/** How the list of entries of a snapshot is cut. */
export const TREE_SIZES: ChunkSizes = {
  min: 16 * KIB,
  average: 64 * KIB,
  max: 256 * KIB,
  strict: 0x0000d90703537000n,
  loose: 0x0000d90f03530000n,
};

/** Reads a table of gear hashes: 256 numbers of 8 bytes, the most significant byte first. */
export function readGear(bytes: Uint8Array): Gear {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const high = new Uint32Array(256);
  const low = new Uint32Array(256);
  for (let at = 0; at < 256; at++) {
    high[at] = view.getUint32(at * 8);
    low[at] = view.getUint32(at * 8 + 4);
  }
  return { high, low };
}

/**
 * Returns the length of the first chunk of some bytes, by FastCDC (Xia et al., USENIX ATC 2016): gear hash, no look at what is
 * below the smallest size, normalized chunking.
 *
 * @param bytes - at least `sizes.max`, or all that is left of the stream
 */
export function findCut(bytes: Uint8Array, sizes: ChunkSizes, { high, low }: Gear): number {
  const end = Math.min(bytes.length, sizes.max);
  if (end <= sizes.min) return end;
  const center = Math.min(end, sizes.average);
  let highMask = toHigh(sizes.strict);
  let lowMask = toLow(sizes.strict);
  let highHash = 0;
  let lowHash = 0;
  for (let at = sizes.min; at < end; at++) {
    if (at === center) {
      highMask = toHigh(sizes.loose);
      lowMask = toLow(sizes.loose);
    }
    // hash = (hash << 1) + gear[byte], modulo 2 ** 64.
    const byte = bytes[at] as number;
    const sum = ((lowHash << 1) >>> 0) + (low[byte] as number);
    highHash = (((highHash << 1) | (lowHash >>> 31)) + (high[byte] as number) + (sum > 0xffffffff ? 1 : 0)) | 0;
    lowHash = sum | 0;
    if ((highHash & highMask) === 0 && (lowHash & lowMask) === 0) return at;
  }
  return end;
}

const toHigh = (mask: bigint) => Number(mask >> 32n) | 0;
const toLow = (mask: bigint) => Number(mask & 0xffffffffn) | 0;

/** Cuts a stream into chunks, which are its own memory: the caller may keep them. Holds up to twice the largest chunk. */
export async function* cutChunks(
  stream: AsyncIterable<Uint8Array>,
  sizes: ChunkSizes,
  gear: Gear,
): AsyncGenerator<Uint8Array> {
  let buffer: Uint8Array = new Uint8Array(0);
  let start = 0;
  let end = 0;
  for await (const part of stream) {
    if (end + part.length > buffer.length) {
      const needed = end - start + part.length;
      // A short file has one part only.
      const larger = new Uint8Array(start === end ? needed : needed + sizes.max);
      larger.set(buffer.subarray(start, end));
      [buffer, start, end] = [larger, 0, end - start];
    }
    buffer.set(part, end);
    end += part.length;
    while (end - start >= sizes.max) {
      const length = findCut(buffer.subarray(start, end), sizes, gear);
      yield buffer.slice(start, start + length);
      start += length;
    }
  }
  while (start < end) {
    const length = findCut(buffer.subarray(start, end), sizes, gear);
    yield buffer.slice(start, start + length);
    start += length;
  }
}
