/** Reads a stream up to delimiters; holds one chunk of it and the length of a delimiter. */
export interface BodyReader {
  /** Reads exactly so many bytes; fewer if the stream ends. */
  take(length: number): Promise<Uint8Array>;
  /** Reads up to a delimiter, which is skipped; `undefined` if it does not come within so many bytes. */
  takeUntil(delimiter: Uint8Array, maxBytes: number): Promise<Uint8Array | undefined>;
  /** Yields all bytes up to a delimiter, which is skipped; returns whether it came before the end. */
  chunksUntil(delimiter: Uint8Array): AsyncGenerator<Uint8Array, boolean>;
}

const NONE = new Uint8Array(0);

/** @param chunks - each is used until the next one is requested */
export function createBodyReader(chunks: AsyncIterator<Uint8Array>): BodyReader {
  let unread: Uint8Array = NONE;

  /** Appends the next chunk; returns whether there is one. */
  async function fill(): Promise<boolean> {
    const { done, value } = await chunks.next();
    if (done) return false;
    unread = unread.length === 0 ? value : concat(unread, value);
    return true;
  }

  function shift(length: number): Uint8Array {
    const taken = unread.subarray(0, length);
    unread = unread.subarray(length);
    return taken;
  }

  return {
    async take(length) {
      while (unread.length < length && (await fill()));
      return shift(length);
    },
    async takeUntil(delimiter, maxBytes) {
      for (;;) {
        const at = findBytes(unread, delimiter);
        if (at >= 0) {
          const taken = shift(at);
          shift(delimiter.length);
          return taken.length > maxBytes ? undefined : taken;
        }
        if (unread.length > maxBytes || !(await fill())) return undefined;
      }
    },
    async *chunksUntil(delimiter) {
      for (;;) {
        const at = findBytes(unread, delimiter);
        if (at >= 0) {
          if (at > 0) yield shift(at);
          shift(delimiter.length);
          return true;
        }
        // The delimiter may have started in the last bytes.
        const certain = unread.length - delimiter.length + 1;
        if (certain > 0) yield shift(certain);
        if (!(await fill())) return false;
      }
    },
  };
}

function concat(a: Uint8Array, b: Uint8Array): Uint8Array {
  const both = new Uint8Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}

function findBytes(bytes: Uint8Array, wanted: Uint8Array): number {
  const [first = 0] = wanted;
  for (let at = bytes.indexOf(first); at >= 0; at = bytes.indexOf(first, at + 1)) {
    let matched = 1;
    while (matched < wanted.length && bytes[at + matched] === wanted[matched]) matched++;
    if (matched === wanted.length) return at;
  }
  return -1;
}
