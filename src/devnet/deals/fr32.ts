/** Bytes of data that become {@link PADDED_QUAD_BYTES}: four times 254 bits. */
export const QUAD_BYTES = 127;

/** Four leaves of 32 bytes. */
export const PADDED_QUAD_BYTES = 128;

const LEAF_BYTES = 32;
const LEAF_BITS = 254;

/** Spreads 127 bytes over 128, so that the two top bits of each 32 bytes, little-endian, are 0 (Fr32). */
export function padQuad(quad: Uint8Array): Uint8Array {
  const padded = new Uint8Array(PADDED_QUAD_BYTES);
  for (let at = 0; at < PADDED_QUAD_BYTES; at++) {
    const leaf = Math.floor(at / LEAF_BYTES);
    const bit = leaf * LEAF_BITS + (at % LEAF_BYTES) * 8;
    const shift = bit % 8;
    const byte = Math.floor(bit / 8);
    const value = ((quad[byte] ?? 0) >> shift) | ((quad[byte + 1] ?? 0) << (8 - shift));
    padded[at] = at % LEAF_BYTES === LEAF_BYTES - 1 ? value & 0x3f : value;
  }
  return padded;
}
