/** Multiplies in GF(2^128) by the definition (NIST SP 800-38D, 6.3). */
export function multiplyByDefinition(x: bigint, y: bigint): bigint {
  let z = 0n;
  let v = y;
  for (let bit = 127n; bit >= 0n; bit--) {
    if ((x >> bit) & 1n) z ^= v;
    v = v & 1n ? (v >> 1n) ^ (0xe1n << 120n) : v >> 1n;
  }
  return z;
}
