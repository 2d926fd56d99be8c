/** Bytes of an AES block. */
export const BLOCK_BYTES = 16;

/** The counter that the first block of text is encrypted with; 1 is reserved for the tag. */
export const FIRST_TEXT_COUNTER = 2;

/** The block that AES-CTR starts from (NIST SP 800-38D, 7.1): the iv and a 32-bit counter. */
export function encodeCounterBlock(iv: Uint8Array, counter: number): Uint8Array<ArrayBuffer> {
  const block = new Uint8Array(BLOCK_BYTES);
  block.set(iv);
  new DataView(block.buffer).setUint32(iv.length, counter);
  return block;
}

/** The last block of GHASH: both lengths, passed in bytes, as 64-bit counts of bits. */
export function encodeLengthBlock(additionalBytes: number, textBytes: number): Uint8Array<ArrayBuffer> {
  const block = new Uint8Array(BLOCK_BYTES);
  const view = new DataView(block.buffer);
  [additionalBytes, textBytes].forEach((bytes, index) => {
    // Bits are bytes × 8, so the upper 32 bits start at 2^29 bytes.
    view.setUint32(8 * index, Math.floor(bytes / 2 ** 29));
    view.setUint32(8 * index + 4, (bytes % 2 ** 29) * 8);
  });
  return block;
}
