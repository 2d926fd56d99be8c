/** One family of addresses: how they look, and what makes two spellings the same address. */
interface AddressFamily {
  pattern: RegExp;
  normalize: (address: string) => string;
}

const families: readonly AddressFamily[] = [
  // EVM: the case of the letters is a checksum at most
  { pattern: /^0x[0-9a-f]{40}$/i, normalize: (address) => address.toLowerCase() },
  // base58 of an ed25519 key: every letter's case counts
  { pattern: /^[1-9A-HJ-NP-Za-km-z]{43,44}$/, normalize: (address) => address },
];

/** The one spelling that the devnet keeps and answers, or `undefined` if it is no address. */
export function normalizeAddress(value: unknown): string | undefined {
  if (typeof value !== "string") return undefined;
  return families.find(({ pattern }) => pattern.test(value))?.normalize(value);
}
