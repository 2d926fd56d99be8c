import { concatBytes } from "../../base/streams/bytes.ts";

/** Separates the last bytes of a stream from the rest before the end of the stream is known. */
export interface TailBuffer {
  /** Adds the next chunk; returns the bytes, often none, that can no longer belong to the tail. */
  push(chunk: Uint8Array): Uint8Array;
  /** At the end: returns what precedes the tail, and the tail, which is shorter only if the stream was. */
  finish(): { body: Uint8Array; tail: Uint8Array };
}

/**
 * Holds back the last `length` bytes. Long chunks are kept and returned whole rather than copied, so
 * a chunk must not be written to after it was pushed.
 */
export function createTailBuffer(length: number): TailBuffer {
  let held: Uint8Array = new Uint8Array(0);

  function split() {
    const end = Math.max(0, held.length - length);
    return { body: held.subarray(0, end), tail: held.subarray(end) };
  }

  function push(chunk: Uint8Array): Uint8Array {
    if (chunk.length >= length) {
      const body = held;
      held = chunk;
      return body;
    }
    const { body, tail } = split();
    held = concatBytes([tail, chunk]);
    return body;
  }

  return { push, finish: split };
}
