import { BLOCK_BYTES, encodeCounterBlock, encodeLengthBlock } from "./blocks.ts";
import type { GcmOptions } from "./gcm.ts";
import { add, type Element, fromBytes, multiply, power, toBytes, zero } from "./gf128.ts";
import type { GcmParts } from "./streaming.ts";

/**
 * GCM by WebCrypto, whose own AES-GCM accepts only whole messages. AES-CTR encrypts the text; AES-GCM
 * computes GHASH: with H the hash key and E the encrypted first counter block, the tag over no text and
 * additional data C is (GHASH(C) + lengths(C)) · H + E, so
 *
 *     T(C) = tag(C) + E + lengths(C) · H = GHASH(C) · H
 *
 * and with X = state · H, a segment of n blocks yields X' = X · H^n + T(C), regardless of what precedes it; the
 * message's tag is X + lengths · H + E. Its keys are not extractable.
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

  async function hashTimesKey(blocks: Uint8Array<ArrayBuffer>): Promise<Element> {
    const params = { name: "AES-GCM", iv: toUnshared(iv), additionalData: blocks };
    const tag = await subtle.encrypt(params, gcmKey, new Uint8Array(0));
    const lengths = multiply(fromBytes(encodeLengthBlock(blocks.length, 0)), hashKey);
    return add(add(fromBytes(new Uint8Array(tag)), tagMask), lengths);
  }

  // Nearly all segments have one size, so caching one power of the hash key is enough.
  let shift: { blocks: number; factor: Element } | undefined;
  function shiftBy(blocks: number): Element {
    if (blocks !== shift?.blocks) shift = { blocks, factor: power(hashKey, blocks) };
    return shift.factor;
  }

  let state: Promise<Element> = Promise.resolve(zero);
  return {
    ctr: (segment, counter) => ctrFrom(encodeCounterBlock(iv, counter), segment),
    async hash(segment) {
      if (segment.length === 0) return;
      const blocks = padToBlocks(segment);
      state = Promise.all([state, hashTimesKey(blocks)]).then(([before, added]) =>
        add(multiply(before, shiftBy(blocks.length / BLOCK_BYTES)), added),
      );
      await state;
    },
    async tag(additionalBytes, textBytes) {
      const lengths = multiply(fromBytes(encodeLengthBlock(additionalBytes, textBytes)), hashKey);
      return toBytes(add(add(await state, lengths), tagMask));
    },
  };
}

/** Pads the bytes with zeros to a whole number of blocks. */
function padToBlocks(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  if (bytes.length % BLOCK_BYTES === 0) return toUnshared(bytes);
  const padded = new Uint8Array(Math.ceil(bytes.length / BLOCK_BYTES) * BLOCK_BYTES);
  padded.set(bytes);
  return padded;
}

/** Copies bytes in memory shared between threads, which WebCrypto rejects. */
function toUnshared(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return isUnshared(bytes) ? bytes : new Uint8Array(bytes);
}

function isUnshared(bytes: Uint8Array): bytes is Uint8Array<ArrayBuffer> {
  return bytes.buffer instanceof ArrayBuffer;
}
