import { joinBytes } from "../../base/streams/bytes.ts";

/** Reads chunks of any length in portions of exact lengths. */
export interface StreamReader {
  /** Returns the next `size` bytes without passing them; fewer only at the end. */
  peek(size: number): Promise<Uint8Array>;
  /** Returns the next `size` bytes; fewer only at the end. */
  take(size: number): Promise<Uint8Array>;
  /** Returns the next `size` bytes as they arrived, in chunks; fewer only at the end. */
  takeChunks(size: number): Promise<Uint8Array[]>;
  /** Discards the next `size` bytes; fewer only at the end. */
  advance(size: number): Promise<void>;
  /** Yields the remaining chunks. */
  rest(): AsyncGenerator<Uint8Array>;
}

export function createStreamReader(chunks: AsyncIterable<Uint8Array>): StreamReader {
  const iterator = chunks[Symbol.asyncIterator]();
  let held: Uint8Array = new Uint8Array(0);

  /** Holds at least `size` bytes, unless the stream ends before. */
  async function hold(size: number): Promise<void> {
    if (held.length >= size) return;
    const parts = held.length > 0 ? [held] : [];
    let total = held.length;
    while (total < size) {
      const { done, value } = await iterator.next();
      if (done) break;
      parts.push(value);
      total += value.length;
    }
    held = joinBytes(parts);
  }

  function cut(size: number): Uint8Array {
    const bytes = held.subarray(0, size);
    held = held.subarray(bytes.length);
    return bytes;
  }

  return {
    async peek(size) {
      await hold(size);
      return held.subarray(0, size);
    },
    async take(size) {
      await hold(size);
      return cut(size);
    },
    async takeChunks(size) {
      const parts: Uint8Array[] = [];
      for (let left = size; left > 0; ) {
        await hold(1);
        if (held.length === 0) break;
        const part = cut(left);
        parts.push(part);
        left -= part.length;
      }
      return parts;
    },
    async advance(size) {
      for (let left = size; left > 0; ) {
        await hold(1);
        if (held.length === 0) return;
        left -= cut(left).length;
      }
    },
    async *rest() {
      for (;;) {
        await hold(1);
        if (held.length === 0) return;
        yield cut(held.length);
      }
    },
  };
}
