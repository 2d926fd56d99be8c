import { BLOCK_BYTES, encodeCounterBlock, encodeLengthBlock, type GcmOptions } from "./gcm.ts";
import type { GcmParts } from "./streaming.ts";

/** GCM by WebCrypto; by plain JavaScript on insecure origins, where browsers hide it, and in React Native. */
export async function openGcmParts(options: GcmOptions): Promise<GcmParts> {
  if (globalThis.crypto?.subtle) return openWebCryptoParts(options);
  const { openNobleParts } = await import("./noble.ts");
  return openNobleParts(options);
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
  return bytes.buffer instanceof ArrayBuffer ? (bytes as Uint8Array<ArrayBuffer>) : new Uint8Array(bytes);
}

/**
 * An element of GF(2^128) as GCM writes it (NIST SP 800-38D, 6.3): 16 bytes as four 32-bit words,
 * big-endian; the first bit is the coefficient of x^0.
 */
export type Element = readonly [number, number, number, number];

const zero: Element = [0, 0, 0, 0];

/** x^0: the neutral element of multiplication. */
const one: Element = [0x80000000, 0, 0, 0];

/** Sum (and difference) of two elements. */
function add(x: Element, y: Element): Element {
  return [x[0] ^ y[0], x[1] ^ y[1], x[2] ^ y[2], x[3] ^ y[3]];
}

/** Product of two elements. Constant time: no secret-dependent branches or table look-ups. */
export function multiply(x: Element, y: Element): Element {
  let [v0, v1, v2, v3] = y;
  let z0 = 0;
  let z1 = 0;
  let z2 = 0;
  let z3 = 0;
  for (const word of x) {
    for (let bit = 31; bit >= 0; bit--) {
      const taken = -((word >>> bit) & 1);
      z0 ^= v0 & taken;
      z1 ^= v1 & taken;
      z2 ^= v2 & taken;
      z3 ^= v3 & taken;
      // v times x; a bit shifted out at the end is reduced by the field's polynomial.
      const carry = -(v3 & 1) & 0xe1000000;
      v3 = (v3 >>> 1) | (v2 << 31);
      v2 = (v2 >>> 1) | (v1 << 31);
      v1 = (v1 >>> 1) | (v0 << 31);
      v0 = (v0 >>> 1) ^ carry;
    }
  }
  return [z0, z1, z2, z3];
}

/** `base` to the power `exponent`, a whole number from 0 to 2^53. */
export function power(base: Element, exponent: number): Element {
  let result = one;
  let square = base;
  for (let left = exponent; left > 0; left = Math.floor(left / 2)) {
    if (left % 2 === 1) result = multiply(result, square);
    square = multiply(square, square);
  }
  return result;
}

/** Decodes an element from 16 bytes. */
export function fromBytes(bytes: Uint8Array): Element {
  const view = new DataView(bytes.buffer, bytes.byteOffset, 16);
  return [view.getInt32(0), view.getInt32(4), view.getInt32(8), view.getInt32(12)];
}

/** Encodes an element as 16 bytes. */
export function toBytes(element: Element): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(16);
  const view = new DataView(bytes.buffer);
  element.forEach((word, index) => {
    view.setInt32(4 * index, word);
  });
  return bytes;
}
