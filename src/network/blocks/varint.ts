/** Longest encoding of a number below 2^53, in bytes. */
const MAX_VARINT_BYTES = 8;

/**
 * Reads a number in little-endian base 128; returns `undefined` if it is cut off or not below 2^53.
 *
 * @returns the number, and where the bytes after it start
 */
export function readVarint(bytes: Uint8Array, start: number): { value: number; end: number } | undefined {
  let value = 0;
  for (let at = start; at < start + MAX_VARINT_BYTES; at++) {
    const byte = bytes[at];
    if (byte === undefined) return undefined;
    value += (byte & 0x7f) * 2 ** (7 * (at - start));
    if (byte < 0x80) return Number.isSafeInteger(value) ? { value, end: at + 1 } : undefined;
  }
  return undefined;
}
