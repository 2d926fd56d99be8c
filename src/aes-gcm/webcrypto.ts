import { BLOCK_BYTES, counterBlock, lengthBlock } from "./blocks.ts";
import type { Gcm, GcmOptions } from "./gcm.ts";
import { add, type Element, fromBytes, multiply, power, toBytes, zero } from "./gf128.ts";
import { type GcmParts, streamingGcm } from "./streaming.ts";

/**
 * GCM by WebCrypto, which itself knows only whole messages. The text goes through AES-CTR. GHASH is
 * taken from AES-GCM: with H the hash key and E the encrypted first counter block, the tag over no
 * text and additional data C is (GHASH(C) + lengths(C)) · H + E, so
 *
 *     T(C) = tag(C) + E + lengths(C) · H = GHASH(C) · H
 *
 * and with X = state · H, a chunk of n blocks gives X' = X · H^n + T(C), whatever came before; the
 * message's tag is X + lengths · H + E.
 */
export async function openWebCryptoParts({ key, iv }: GcmOptions): Promise<GcmParts> {
  const { subtle } = globalThis.crypto;
  const importKey = (name: string) => subtle.importKey("raw", unshared(key), name, false, ["encrypt"]);
  const [ctrKey, gcmKey] = await Promise.all([importKey("AES-CTR"), importKey("AES-GCM")]);

  async function ctrFrom(counter: Uint8Array<ArrayBuffer>, bytes: Uint8Array): Promise<Uint8Array> {
    return new Uint8Array(await subtle.encrypt({ name: "AES-CTR", counter, length: 32 }, ctrKey, unshared(bytes)));
  }
  const none = new Uint8Array(BLOCK_BYTES);
  const [hashKey, tagMask] = (await Promise.all([ctrFrom(none, none), ctrFrom(counterBlock(iv, 1), none)])).map(
    fromBytes,
  ) as [Element, Element];

  async function hashTimesKey(blocks: Uint8Array<ArrayBuffer>): Promise<Element> {
    const settings = { name: "AES-GCM", iv: unshared(iv), additionalData: blocks };
    const tag = await subtle.encrypt(settings, gcmKey, new Uint8Array(0));
    const lengths = multiply(fromBytes(lengthBlock(blocks.length, 0)), hashKey);
    return add(add(fromBytes(new Uint8Array(tag)), tagMask), lengths);
  }

  // Chunks mostly have one size, so one power of the hash key serves nearly all of them.
  let shift = { blocks: 0, factor: power(hashKey, 0) };
  function shiftBy(blocks: number): Element {
    if (blocks !== shift.blocks) shift = { blocks, factor: power(hashKey, blocks) };
    return shift.factor;
  }

  let state: Promise<Element> = Promise.resolve(zero);
  return {
    ctr: (chunk, counter) => ctrFrom(counterBlock(iv, counter), chunk),
    async hash(chunk) {
      if (chunk.length === 0) return;
      const blocks = wholeBlocks(chunk);
      state = Promise.all([state, hashTimesKey(blocks)]).then(([before, added]) =>
        add(multiply(before, shiftBy(blocks.length / BLOCK_BYTES)), added),
      );
      await state;
    },
    async tag(additionalBytes, textBytes) {
      const lengths = multiply(fromBytes(lengthBlock(additionalBytes, textBytes)), hashKey);
      return toBytes(add(add(await state, lengths), tagMask));
    },
  };
}

/** Piecewise AES-256-GCM by WebCrypto, in pages, workers and Node. Its keys cannot be read out. */
export const webCryptoGcm: Gcm = streamingGcm(openWebCryptoParts);

/** The bytes with zeros after them up to a whole number of blocks. */
function wholeBlocks(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  if (bytes.length % BLOCK_BYTES === 0) return unshared(bytes);
  const padded = new Uint8Array(Math.ceil(bytes.length / BLOCK_BYTES) * BLOCK_BYTES);
  padded.set(bytes);
  return padded;
}

/** WebCrypto refuses memory that is shared between threads; such bytes are copied. */
function unshared(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return isUnshared(bytes) ? bytes : new Uint8Array(bytes);
}

function isUnshared(bytes: Uint8Array): bytes is Uint8Array<ArrayBuffer> {
  return bytes.buffer instanceof ArrayBuffer;
}
