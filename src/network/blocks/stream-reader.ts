import { joinBytes } from "../../base/streams/bytes.ts";

export type StreamReader = ReturnType<typeof createStreamReader>;

/** Reads chunks of any length in portions of exact lengths. */
export function createStreamReader(chunks: AsyncIterable<Uint8Array>) {
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

  /** Returns the next bytes as they arrived, at most `limit` of them; none only at the end. */
  async function next(limit = Number.POSITIVE_INFINITY): Promise<Uint8Array> {
    await hold(1);
    return cut(limit);
  }

  return {
    /** Returns the next `size` bytes without passing them; fewer only at the end. */
    async peek(size: number): Promise<Uint8Array> {
      await hold(size);
      return held.subarray(0, size);
    },
    /** Returns the next `size` bytes; fewer only at the end. */
    async take(size: number): Promise<Uint8Array> {
      await hold(size);
      return cut(size);
    },
    next,
    /** Returns the next `size` bytes as they arrived, in chunks; fewer only at the end. */
    async takeChunks(size: number): Promise<Uint8Array[]> {
      const parts: Uint8Array[] = [];
      let left = size;
      while (left > 0) {
        const part = await next(left);
        if (part.length === 0) break;
        parts.push(part);
        left -= part.length;
      }
      return parts;
    },
    /** Discards the next `size` bytes; fewer only at the end. */
    async advance(size: number): Promise<void> {
      let left = size;
      while (left > 0) {
        const { length } = await next(left);
        if (length === 0) return;
        left -= length;
      }
    },
  };
}
