/** Parts the last bytes of a stream from the rest before its end is known. */
export interface TailBuffer {
  /** Takes the next piece; gives out the bytes, often none, that by now cannot belong to the tail. */
  push(piece: Uint8Array): Uint8Array;
  /** At the end: what comes before the tail, and the tail, which is shorter only if the stream was. */
  finish(): { body: Uint8Array; tail: Uint8Array };
}

/**
 * Holds back the last `length` bytes. Long pieces are kept and given out whole rather than copied, so
 * a piece must not be written to after it was handed over.
 */
export function createTailBuffer(length: number): TailBuffer {
  let held: Uint8Array = new Uint8Array(0);

  function split() {
    const end = Math.max(0, held.length - length);
    return { body: held.subarray(0, end), tail: held.subarray(end) };
  }

  function push(piece: Uint8Array): Uint8Array {
    if (piece.length >= length) {
      const body = held;
      held = piece;
      return body;
    }
    const { body, tail } = split();
    const joined = new Uint8Array(tail.length + piece.length);
    joined.set(tail);
    joined.set(piece, tail.length);
    held = joined;
    return body;
  }

  return { push, finish: split };
}
