/**
 * Bytes that go through the cipher in one call: less costs more calls, and with about a MiB or more Chromium takes
 * fresh memory from the system for every copy, which halves the pace. A whole number of AES blocks.
 */
const CIPHER_CHUNK_BYTES = 512 * 1024;

/** Cuts a message that comes in pieces of any length into chunks of {@link CIPHER_CHUNK_BYTES}. */
export interface Chunker {
  /**
   * The chunks that are complete now: views of `piece` or of a buffer that is used again, so they must
   * be read before `push` is called next.
   */
  push(piece: Uint8Array): Uint8Array[];
  /** The last chunk, once: shorter than the others, maybe empty, maybe not of whole blocks. */
  rest(): Uint8Array;
}

export function createChunker(): Chunker {
  let held = new Uint8Array(0);
  let spare = new Uint8Array(0);
  let used = 0;

  function hold(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    if (held.length === 0) held = new Uint8Array(CIPHER_CHUNK_BYTES);
    held.set(bytes, used);
    used += bytes.length;
  }

  function push(piece: Uint8Array): Uint8Array[] {
    if (used + piece.length < CIPHER_CHUNK_BYTES) {
      hold(piece);
      return [];
    }
    const chunks: Uint8Array[] = [];
    let start = 0;
    if (used > 0) {
      start = CIPHER_CHUNK_BYTES - used;
      hold(piece.subarray(0, start));
      chunks.push(held);
      // What is left over must not be written over the chunk just given out.
      [held, spare] = [spare, held];
      used = 0;
    }
    for (; piece.length - start >= CIPHER_CHUNK_BYTES; start += CIPHER_CHUNK_BYTES) {
      chunks.push(piece.subarray(start, start + CIPHER_CHUNK_BYTES));
    }
    hold(piece.subarray(start));
    return chunks;
  }

  function rest(): Uint8Array {
    const last = held.subarray(0, used);
    used = 0;
    return last;
  }

  return { push, rest };
}

/** Views of `bytes`, in order, of at most {@link CIPHER_CHUNK_BYTES} each. */
export function* slices(bytes: Uint8Array): Generator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += CIPHER_CHUNK_BYTES) {
    yield bytes.subarray(start, start + CIPHER_CHUNK_BYTES);
  }
}
