import { base32nopad, base58, hex } from "@scure/base";

/** CID version 1, `fil-commitment-unsealed`, `sha2-256-trunc254-padded`, 32 bytes: the prefix of every piece id, hex. */
export const PIECE_PREFIX = "0181e203922020";

/** Formats the id of a piece in base32. */
export function toPieceCid(commitment: Uint8Array): string {
  return format(hex.decode(PIECE_PREFIX + hex.encode(commitment)));
}

/** Returns an id in base32; `undefined` for one that is in neither base32, base16 (in any case) nor base58btc. */
export function normalizePieceCid(text: string): string | undefined {
  const digits = text.slice(1);
  try {
    if (/^b/i.test(text)) return format(base32nopad.decode(digits.toUpperCase()));
    if (/^f/i.test(text)) return format(hex.decode(digits.toLowerCase()));
    return text.startsWith("z") ? format(base58.decode(digits)) : undefined;
  } catch {
    return undefined;
  }
}

function format(bytes: Uint8Array): string {
  return `b${base32nopad.encode(bytes).toLowerCase()}`;
}
