import { cannotDecrypt } from "../errors/crypto.ts";
import { BLOCK_BYTES, equalBytes, FIRST_TEXT_COUNTER } from "./blocks.ts";
import { createChunker } from "./chunks.ts";
import { assertGcmOptions, type Gcm, type GcmDecryptor, type GcmEncryptor, type GcmOptions } from "./gcm.ts";

/** The two halves of GCM for one message. Both read their input before they first wait. */
export interface GcmParts {
  /** AES-CTR over a chunk, from the given value of the 32-bit counter. */
  ctr(chunk: Uint8Array, counter: number): Promise<Uint8Array>;
  /** Takes the next chunk into GHASH; zeros fill up the last block. May be called before the last call is done. */
  hash(chunk: Uint8Array): Promise<void>;
  /** The tag over all that was hashed, given the lengths in bytes. */
  tag(additionalBytes: number, textBytes: number): Promise<Uint8Array>;
}

/**
 * GCM made of its two halves (NIST SP 800-38D, 7.1 and 7.2). While the caller is busy with one chunk's
 * output, the chunk's GHASH still runs; never more than one call's chunks are behind.
 */
export function streamingGcm(open: (options: GcmOptions) => Promise<GcmParts>): Gcm {
  async function begin(options: GcmOptions) {
    assertGcmOptions(options);
    const parts = await open(options);
    const additionalBytes = options.additionalData?.length ?? 0;
    if (options.additionalData && additionalBytes > 0) await parts.hash(options.additionalData);
    let counter = FIRST_TEXT_COUNTER;
    let textBytes = 0;
    let hashed: Promise<unknown> = Promise.resolve();
    return {
      chunker: createChunker(),
      crypt(chunks: Uint8Array[]): Promise<Uint8Array[]> {
        const outputs = chunks.map((chunk) => {
          const output = parts.ctr(chunk, counter);
          counter += chunk.length / BLOCK_BYTES;
          return output;
        });
        return Promise.all(outputs);
      },
      hash(chunks: Uint8Array[]): Promise<unknown> {
        const before = hashed;
        for (const chunk of chunks) textBytes += chunk.length;
        hashed = Promise.all(chunks.map((chunk) => parts.hash(chunk)));
        // A failure is told by the next call that waits for it; there is none if the caller stops here.
        hashed.catch(() => undefined);
        return before;
      },
      async tag(): Promise<Uint8Array> {
        await hashed;
        return parts.tag(additionalBytes, textBytes);
      },
    };
  }

  async function encryptor(options: GcmOptions): Promise<GcmEncryptor> {
    const message = await begin(options);
    async function encrypt(chunks: Uint8Array[]): Promise<Uint8Array> {
      const ciphertext = await message.crypt(chunks);
      await message.hash(ciphertext);
      return join(ciphertext);
    }
    return {
      update: (piece) => encrypt(message.chunker.push(piece)),
      async finish() {
        const rest = await encrypt([message.chunker.rest()]);
        return { rest, tag: await message.tag() };
      },
    };
  }

  async function decryptor(options: GcmOptions): Promise<GcmDecryptor> {
    const message = await begin(options);
    async function decrypt(chunks: Uint8Array[]): Promise<Uint8Array> {
      const hashedBefore = message.hash(chunks);
      const plaintext = await message.crypt(chunks);
      await hashedBefore;
      return join(plaintext);
    }
    const flush = () => decrypt([message.chunker.rest()]);
    return {
      update: (piece) => decrypt(message.chunker.push(piece)),
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

function join(pieces: Uint8Array[]): Uint8Array {
  const [first, second] = pieces;
  if (!first) return new Uint8Array(0);
  if (!second) return first;
  const joined = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let offset = 0;
  for (const piece of pieces) {
    joined.set(piece, offset);
    offset += piece.length;
  }
  return joined;
}
