import { cannotDecrypt } from "../../base/errors/input.ts";
import { equalBytes, joinBytes, SEGMENT_BYTES } from "../../base/streams/bytes.ts";
import { assertGcmOptions, BLOCK_BYTES, FIRST_TEXT_COUNTER, type Gcm, type GcmOptions } from "./gcm.ts";

/** The two halves of GCM for one message. Both read their input before they first await. */
export interface GcmParts {
  /** Applies AES-CTR to a segment, starting from this value of the 32-bit counter. */
  ctr(segment: Uint8Array, counter: number): Promise<Uint8Array>;
  /** Adds the next segment to GHASH, padding the last block with zeros. May be called before the previous call resolves. */
  hash(segment: Uint8Array): Promise<void>;
  /** Does both at once for the next segment of an encryption, with less work; whole blocks, but for the last segment. */
  encrypt?: ((segment: Uint8Array, counter: number) => Promise<Uint8Array>) | undefined;
  /** Computes the tag over all that was hashed. */
  tag(textBytes: number): Promise<Uint8Array>;
}

/**
 * Creates GCM from its two halves (NIST SP 800-38D, 7.1 and 7.2). GHASH of one call's segments still runs while the
 * caller works on their output, and lags at most one call behind.
 */
export function createStreamingGcm(open: (options: GcmOptions) => Promise<GcmParts>): Gcm {
  async function startMessage(options: GcmOptions) {
    assertGcmOptions(options);
    const parts = await open(options);
    let counter = FIRST_TEXT_COUNTER;
    let textBytes = 0;
    let hashed: Promise<unknown> = Promise.resolve();
    const segmenter = createSegmenter();

    function crypt(segments: Uint8Array[], transform: GcmParts["ctr"]): Promise<Uint8Array[]> {
      const outputs = segments.map((segment) => {
        const output = transform(segment, counter);
        counter += segment.length / BLOCK_BYTES;
        textBytes += segment.length;
        return output;
      });
      return Promise.all(outputs);
    }

    function hash(segments: Uint8Array[]): Promise<unknown> {
      const previous = hashed;
      hashed = Promise.all(segments.map((segment) => parts.hash(segment)));
      // The next call that awaits it throws the failure; a caller that stops here makes no next call.
      hashed.catch(() => undefined);
      return previous;
    }

    return {
      segmenter,
      async encrypt(segments: Uint8Array[]): Promise<Uint8Array> {
        if (parts.encrypt) return joinBytes(await crypt(segments, parts.encrypt));
        const ciphertext = await crypt(segments, parts.ctr);
        await hash(ciphertext);
        return joinBytes(ciphertext);
      },
      async decrypt(segments: Uint8Array[]): Promise<Uint8Array> {
        const previousHash = hash(segments);
        const plaintext = await crypt(segments, parts.ctr);
        await previousHash;
        return joinBytes(plaintext);
      },
      async tag(): Promise<Uint8Array> {
        await hashed;
        return parts.tag(textBytes);
      },
    };
  }

  return {
    async encryptor(options) {
      const { segmenter, encrypt, tag } = await startMessage(options);
      return {
        update: (chunk) => encrypt(segmenter.push(chunk)),
        finish: async () => ({ rest: await encrypt([segmenter.rest()]), tag: await tag() }),
      };
    },
    async decryptor(options) {
      const { segmenter, decrypt, tag } = await startMessage(options);
      const flush = () => decrypt([segmenter.rest()]);
      return {
        update: (chunk) => decrypt(segmenter.push(chunk)),
        flush,
        async finish(expected) {
          const rest = await flush();
          if (!equalBytes(await tag(), expected)) throw cannotDecrypt();
          return rest;
        },
      };
    },
  };
}

/** Regroups chunks of any length into segments of {@link SEGMENT_BYTES}. */
export function createSegmenter() {
  let held = new Uint8Array(0);
  let spare = new Uint8Array(0);
  let used = 0;

  function hold(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    if (held.length === 0) held = new Uint8Array(SEGMENT_BYTES);
    held.set(bytes, used);
    used += bytes.length;
  }

  /**
   * Returns the segments that are complete now: views of `chunk` or of a buffer that is reused, so the caller must read
   * them before the next `push`.
   */
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

  /** Returns the last segment, once: shorter than the others, possibly empty, possibly not of whole blocks. */
  function rest(): Uint8Array {
    const last = held.subarray(0, used);
    used = 0;
    return last;
  }

  return { push, rest };
}

/** Yields views of `bytes`, in order, of at most {@link SEGMENT_BYTES} each. */
export function* toSegments(bytes: Uint8Array): Generator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += SEGMENT_BYTES) yield bytes.subarray(start, start + SEGMENT_BYTES);
}
