/** Bytes of an AES block. */
export const BLOCK_BYTES = 16;

/** The counter that the first block of text is encrypted with; 1 belongs to the tag. */
export const FIRST_TEXT_COUNTER = 2;

/** The block that AES-CTR starts from (NIST SP 800-38D, 7.1): the iv and a 32-bit counter. */
export function counterBlock(iv: Uint8Array, counter: number): Uint8Array<ArrayBuffer> {
  const block = new Uint8Array(BLOCK_BYTES);
  block.set(iv);
  new DataView(block.buffer).setUint32(iv.length, counter);
  return block;
}

/** The block that ends GHASH: both lengths, given in bytes, as 64-bit counts of bits. */
export function lengthBlock(additionalBytes: number, textBytes: number): Uint8Array<ArrayBuffer> {
  const block = new Uint8Array(BLOCK_BYTES);
  const view = new DataView(block.buffer);
  [additionalBytes, textBytes].forEach((bytes, index) => {
    // Bits are bytes × 8: the high word is what is left of 2^29 bytes and more.
    view.setUint32(8 * index, Math.floor(bytes / 2 ** 29));
    view.setUint32(8 * index + 4, (bytes % 2 ** 29) * 8);
  });
  return block;
}

/** Whether two byte strings are equal, in a time that depends on their lengths alone. */
export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  let difference = 0;
  for (let index = 0; index < a.length; index++) difference |= (a[index] ?? 0) ^ (b[index] ?? 0);
  return difference === 0;
}
