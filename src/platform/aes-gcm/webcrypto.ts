import { equalBytes } from "../../base/streams/bytes.ts";
import { add, type Element, fromBytes, invert, multiply, power, toBytes, zero } from "./field.ts";
import { BLOCK_BYTES, encodeCounterBlock, encodeLengthBlock, FIRST_TEXT_COUNTER, type GcmOptions } from "./gcm.ts";
import type { GcmParts } from "./streaming.ts";

/** GCM by WebCrypto; by plain JavaScript on insecure origins, where browsers hide it, and in React Native. */
export async function openGcmParts(options: GcmOptions): Promise<GcmParts> {
  if (globalThis.crypto?.subtle) {
    const parts = await openWebCryptoParts(options);
    startsAnywhere ??= tryStarting().catch(() => false);
    return (await startsAnywhere) ? parts : { ...parts, encrypt: undefined };
  }
  const { openNobleParts } = await import("./noble.ts");
  return openNobleParts(options);
}

/** Whether this runtime's AES-GCM hashes ivs of 16 bytes as specified: some accept 12 only. Found out once. */
let startsAnywhere: Promise<boolean> | undefined;

async function tryStarting(): Promise<boolean> {
  const { encrypt, ctr } = await openWebCryptoParts({ key: new Uint8Array(32), iv: new Uint8Array(12) });
  const [text, counter] = [new Uint8Array(BLOCK_BYTES), FIRST_TEXT_COUNTER + 1];
  return encrypt !== undefined && equalBytes(await encrypt(text, counter), await ctr(text, counter));
}

/**
 * GCM by WebCrypto, whose own AES-GCM accepts only whole messages. AES-CTR encrypts the text; AES-GCM
 * computes GHASH: with H the hash key and E the encrypted first counter block, the tag over no text and
 * additional data C is (GHASH(C) + lengths(C)) · H + E, so
 *
 *     T(C) = tag(C) + E + lengths(C) · H = GHASH(C) · H
 *
 * and with X = state · H, a segment of n blocks yields X' = X · H^n + T(C), regardless of what precedes it; the
 * message's tag is X + lengths · H + E. Its keys are not extractable.
 *
 * To encrypt, one call of AES-GCM does both. An iv of 16 bytes is itself hashed to the counter block before the text's first
 * (SP 800-38D, 7.1): J = (iv · H + L) · H with L = 0^64 || [128]_64. So
 *
 *     iv = (J · H^-1 + L) · H^-1
 *
 * starts a segment at any counter. Its tag has E(J) for E: the last block of key stream of the segment before, which is the
 * sum of that segment's last blocks of text and of ciphertext. So who knows the text could use the tag: it must not leave
 * this function.
 */
export async function openWebCryptoParts({ key, iv }: GcmOptions): Promise<GcmParts> {
  const { subtle } = globalThis.crypto;
  const importKey = (name: string) => subtle.importKey("raw", toUnshared(key), name, false, ["encrypt"]);
  const [ctrKey, gcmKey] = await Promise.all([importKey("AES-CTR"), importKey("AES-GCM")]);

  async function ctrFrom(counter: Uint8Array<ArrayBuffer>, bytes: Uint8Array): Promise<Uint8Array> {
    return new Uint8Array(await subtle.encrypt({ name: "AES-CTR", counter, length: 32 }, ctrKey, toUnshared(bytes)));
  }
  const zeroBlock = new Uint8Array(BLOCK_BYTES);
  const [hashKey, tagMask] = (
    await Promise.all([ctrFrom(zeroBlock, zeroBlock), ctrFrom(encodeCounterBlock(iv, 1), zeroBlock)])
  ).map(fromBytes) as [Element, Element];

  async function gcmFrom(start: Uint8Array<ArrayBuffer>, text: Uint8Array, additionalData?: Uint8Array<ArrayBuffer>) {
    const params = { name: "AES-GCM", iv: start, ...(additionalData ? { additionalData } : {}) };
    return new Uint8Array(await subtle.encrypt(params, gcmKey, toUnshared(text)));
  }

  /** The state after what was hashed, times H; and what masks the tag of the next segment that is encrypted. */
  let chain = Promise.resolve({ state: zero, mask: tagMask });

  // Nearly all segments have one size, so caching one power of the hash key is enough.
  let shift: { blocks: number; factor: Element } | undefined;
  /** Adds to the state a segment of some bytes: T above, from its tag. */
  function advance(state: Element, bytes: number, tag: Uint8Array, mask: Element, lengths: Uint8Array): Element {
    const blocks = Math.ceil(bytes / BLOCK_BYTES);
    if (blocks !== shift?.blocks) shift = { blocks, factor: power(hashKey, blocks) };
    const segment = add(add(fromBytes(tag), mask), multiply(fromBytes(lengths), hashKey));
    return add(multiply(state, shift.factor), segment);
  }

  let inverse: Element | undefined;
  /** Returns the iv of a segment that starts at this counter: of the first one, the message's own. */
  function ivFor(counter: number): Uint8Array<ArrayBuffer> {
    if (counter === FIRST_TEXT_COUNTER) return toUnshared(iv);
    inverse ??= invert(hashKey);
    const first = multiply(fromBytes(encodeCounterBlock(iv, counter - 1)), inverse);
    return toBytes(multiply(add(first, ivLengths), inverse));
  }

  return {
    ctr: (segment, counter) => ctrFrom(encodeCounterBlock(iv, counter), segment),
    async hash(segment) {
      const { length } = segment;
      if (length === 0) return;
      const blocks = padToBlocks(segment);
      const hashing = gcmFrom(toUnshared(iv), new Uint8Array(0), blocks);
      chain = Promise.all([chain, hashing]).then(([{ state, mask }, tag]) => {
        return { state: advance(state, length, tag, tagMask, encodeLengthBlock(blocks.length, 0)), mask };
      });
      await chain;
    },
    async encrypt(segment, counter) {
      const { length } = segment;
      if (length === 0) return segment;
      // Read before the first await: the segment's memory may be reused after it.
      const lastText = new Uint8Array(segment.subarray(-BLOCK_BYTES));
      const sealing = gcmFrom(ivFor(counter), segment);
      chain = Promise.all([chain, sealing]).then(([{ state, mask }, sealed]) => {
        const next = advance(state, length, sealed.subarray(length), mask, encodeLengthBlock(0, length));
        // After a segment that is not of whole blocks there is none.
        if (length % BLOCK_BYTES > 0) return { state: next, mask };
        return { state: next, mask: add(fromBytes(sealed.subarray(length - BLOCK_BYTES)), fromBytes(lastText)) };
      });
      await chain;
      // The tag must not be in memory that the caller can reach.
      return (await sealing).fill(0, length).subarray(0, length);
    },
    async tag(textBytes) {
      const lengths = multiply(fromBytes(encodeLengthBlock(0, textBytes)), hashKey);
      const { state } = await chain;
      return toBytes(add(add(state, lengths), tagMask));
    },
  };
}

/** L of the equation above. */
const ivLengths = fromBytes(encodeLengthBlock(0, BLOCK_BYTES));

/** Pads the bytes with zeros to a whole number of blocks. */
function padToBlocks(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  if (bytes.length % BLOCK_BYTES === 0) return toUnshared(bytes);
  const padded = new Uint8Array(Math.ceil(bytes.length / BLOCK_BYTES) * BLOCK_BYTES);
  padded.set(bytes);
  return padded;
}

/** Copies bytes in memory shared between threads, which WebCrypto rejects. */
function toUnshared(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return bytes.buffer instanceof ArrayBuffer ? (bytes as Uint8Array<ArrayBuffer>) : new Uint8Array(bytes);
}
