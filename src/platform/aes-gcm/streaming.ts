import { cannotDecrypt } from "../../base/errors/crypto.ts";
import { concatBytes, equalBytes } from "../../base/streams/bytes.ts";
import { BLOCK_BYTES, FIRST_TEXT_COUNTER } from "./blocks.ts";
import { assertGcmOptions, type Gcm, type GcmDecryptor, type GcmEncryptor, type GcmOptions } from "./gcm.ts";
import { createSegmenter } from "./segments.ts";

/** The two halves of GCM for one message. Both read their input before they first await. */
export interface GcmParts {
  /** Applies AES-CTR to a segment, starting from this value of the 32-bit counter. */
  ctr(segment: Uint8Array, counter: number): Promise<Uint8Array>;
  /** Adds the next segment to GHASH, padding the last block with zeros. May be called before the previous call resolves. */
  hash(segment: Uint8Array): Promise<void>;
  /** Computes the tag over all that was hashed. */
  tag(additionalBytes: number, textBytes: number): Promise<Uint8Array>;
}

/**
 * Creates GCM from its two halves (NIST SP 800-38D, 7.1 and 7.2). GHASH of one call's segments still runs while the
 * caller works on their output, and lags at most one call behind.
 */
export function createStreamingGcm(open: (options: GcmOptions) => Promise<GcmParts>): Gcm {
  async function startMessage(options: GcmOptions) {
    assertGcmOptions(options);
    const parts = await open(options);
    const additionalBytes = options.additionalData?.length ?? 0;
    if (options.additionalData) await parts.hash(options.additionalData);
    let counter = FIRST_TEXT_COUNTER;
    let textBytes = 0;
    let hashed: Promise<unknown> = Promise.resolve();
    return {
      segmenter: createSegmenter(),
      crypt(segments: Uint8Array[]): Promise<Uint8Array[]> {
        const outputs = segments.map((segment) => {
          const output = parts.ctr(segment, counter);
          counter += segment.length / BLOCK_BYTES;
          return output;
        });
        return Promise.all(outputs);
      },
      hash(segments: Uint8Array[]): Promise<unknown> {
        const previous = hashed;
        for (const segment of segments) textBytes += segment.length;
        hashed = Promise.all(segments.map((segment) => parts.hash(segment)));
        // The next call that awaits it throws the failure; a caller that stops here makes no next call.
        hashed.catch(() => undefined);
        return previous;
      },
      async tag(): Promise<Uint8Array> {
        await hashed;
        return parts.tag(additionalBytes, textBytes);
      },
    };
  }

  async function encryptor(options: GcmOptions): Promise<GcmEncryptor> {
    const message = await startMessage(options);
    async function encrypt(segments: Uint8Array[]): Promise<Uint8Array> {
      const ciphertext = await message.crypt(segments);
      await message.hash(ciphertext);
      return joinSegments(ciphertext);
    }
    return {
      update: (chunk) => encrypt(message.segmenter.push(chunk)),
      async finish() {
        const rest = await encrypt([message.segmenter.rest()]);
        return { rest, tag: await message.tag() };
      },
    };
  }

  async function decryptor(options: GcmOptions): Promise<GcmDecryptor> {
    const message = await startMessage(options);
    async function decrypt(segments: Uint8Array[]): Promise<Uint8Array> {
      const previousHash = message.hash(segments);
      const plaintext = await message.crypt(segments);
      await previousHash;
      return joinSegments(plaintext);
    }
    const flush = () => decrypt([message.segmenter.rest()]);
    return {
      update: (chunk) => decrypt(message.segmenter.push(chunk)),
      flush,
      async finish(tag) {
        const rest = await flush();
        if (!equalBytes(await message.tag(), tag)) throw cannotDecrypt();
        return rest;
      },
    };
  }

  return { encryptor, decryptor };
}

/** Does not copy a single segment. */
function joinSegments(segments: readonly Uint8Array[]): Uint8Array {
  const [only] = segments;
  return only && segments.length === 1 ? only : concatBytes(segments);
}
