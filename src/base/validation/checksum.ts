import { keccak256 } from "./keccak.ts";

/** Spells a lower-case EVM address with its checksum (EIP-55): case encodes a hash, so that most typing errors show. */
export function toChecksumAddress(address: string): string {
  const digits = address.slice(2);
  const hash = keccak256(digits);
  const isUpper = (at: number) => ((hash[at >> 1] ?? 0) & (at % 2 === 0 ? 0x80 : 0x08)) !== 0;
  return `0x${Array.from(digits, (digit, at) => (isUpper(at) ? digit.toUpperCase() : digit)).join("")}`;
}
