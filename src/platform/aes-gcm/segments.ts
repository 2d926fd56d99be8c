/**
 * Bytes that go through the cipher in one call. Smaller segments cost more calls; from about 1 MiB on, Chromium
 * allocates fresh system memory for every copy, which halves the throughput. A whole number of AES blocks.
 */
const SEGMENT_BYTES = 512 * 1024;

/** Regroups chunks of any length into segments of {@link SEGMENT_BYTES}. */
export interface Segmenter {
  /**
   * Returns the segments that are complete now: views of `chunk` or of a buffer that is reused, so the caller must read
   * them before the next `push`.
   */
  push(chunk: Uint8Array): Uint8Array[];
  /** Returns the last segment, once: shorter than the others, possibly empty, possibly not of whole blocks. */
  rest(): Uint8Array;
}

export function createSegmenter(): Segmenter {
  let held = new Uint8Array(0);
  let spare = new Uint8Array(0);
  let used = 0;

  function hold(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    if (held.length === 0) held = new Uint8Array(SEGMENT_BYTES);
    held.set(bytes, used);
    used += bytes.length;
  }

  function push(chunk: Uint8Array): Uint8Array[] {
    if (used + chunk.length < SEGMENT_BYTES) {
      hold(chunk);
      return [];
    }
    const segments: Uint8Array[] = [];
    let start = 0;
    if (used > 0) {
      start = SEGMENT_BYTES - used;
      hold(chunk.subarray(0, start));
      segments.push(held);
      // The remainder must not overwrite the segment that is being returned.
      [held, spare] = [spare, held];
      used = 0;
    }
    for (; chunk.length - start >= SEGMENT_BYTES; start += SEGMENT_BYTES) {
      segments.push(chunk.subarray(start, start + SEGMENT_BYTES));
    }
    hold(chunk.subarray(start));
    return segments;
  }

  function rest(): Uint8Array {
    const last = held.subarray(0, used);
    used = 0;
    return last;
  }

  return { push, rest };
}

/** Yields views of `bytes`, in order, of at most {@link SEGMENT_BYTES} each. */
export function* toSegments(bytes: Uint8Array): Generator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += SEGMENT_BYTES) {
    yield bytes.subarray(start, start + SEGMENT_BYTES);
  }
}
