/** A kind of address: its format and its canonical form. */
interface AddressFamily {
  pattern: RegExp;
  normalize: (address: string) => string;
}

const families: readonly AddressFamily[] = [
  // EVM: letter case is only a checksum
  { pattern: /^0x[0-9a-f]{40}$/i, normalize: (address) => address.toLowerCase() },
  // base58 of an ed25519 key: case-sensitive
  { pattern: /^[1-9A-HJ-NP-Za-km-z]{43,44}$/, normalize: (address) => address },
];

/** Returns the canonical form, which the devnet stores and sends, or `undefined` for anything but an address. */
export function normalizeAddress(value: unknown): string | undefined {
  if (typeof value !== "string") return undefined;
  return families.find(({ pattern }) => pattern.test(value))?.normalize(value);
}
