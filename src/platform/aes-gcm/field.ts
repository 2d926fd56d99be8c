// The field of GHASH (NIST SP 800-38D, 6.3).

/**
 * An element of GF(2^128) as GCM writes it (NIST SP 800-38D, 6.3): 16 bytes as four 32-bit words,
 * big-endian; the first bit is the coefficient of x^0.
 */
export type Element = readonly [number, number, number, number];

export const zero: Element = [0, 0, 0, 0];

/** x^0: the neutral element of multiplication. */
const one: Element = [0x80000000, 0, 0, 0];

/** Sum (and difference) of two elements. */
export function add(x: Element, y: Element): Element {
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

/** The element whose product with `x` is 1: x^(2^128 − 2), as the field has 2^128 elements. Of 0, it is 0. */
export function invert(x: Element): Element {
  let result = one;
  let square = x;
  for (let bit = 1; bit < 128; bit++) {
    square = multiply(square, square);
    result = multiply(result, square);
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
