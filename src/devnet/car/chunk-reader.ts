/** Bytes of a stream, taken in whatever portions the reader wants. */
export interface ChunkReader {
  /** Bytes taken so far. */
  offset(): number;
  /** The next `count` bytes; `undefined` if the stream ends before. */
  take(count: number): Promise<Uint8Array | undefined>;
  /** Whether the stream has ended and all of it is taken. */
  atEnd(): Promise<boolean>;
}

/** Reads `source` by portions; holds no more than one portion and one chunk. */
export function readChunks(source: AsyncIterable<Uint8Array>): ChunkReader {
  const chunks = source[Symbol.asyncIterator]();
  let held: Uint8Array[] = [];
  let heldBytes = 0;
  let taken = 0;

  async function hold(count: number): Promise<boolean> {
    while (heldBytes < count) {
      const { done, value } = await chunks.next();
      if (done) return false;
      held.push(value);
      heldBytes += value.byteLength;
    }
    return true;
  }

  return {
    offset: () => taken,
    async take(count) {
      if (!(await hold(count))) return undefined;
      const all = held.length === 1 && held[0] ? held[0] : Buffer.concat(held);
      held = [all.subarray(count)];
      heldBytes -= count;
      taken += count;
      return all.subarray(0, count);
    },
    atEnd: async () => !(await hold(1)),
  };
}
