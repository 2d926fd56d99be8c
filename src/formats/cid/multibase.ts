// Coded by hand: @scure/base takes 2.2 kB of every page that uploads, three times as much as this file.

/** Digits of the bases that content ids are encoded in, by multibase prefix (lower case). */
const ALPHABETS = {
  b: "abcdefghijklmnopqrstuvwxyz234567",
  f: "0123456789abcdef",
  z: "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz",
} as const;

/** How a content id is encoded: base32, base16 (either case) or base58btc; `Q` stands for version 0's bare base58btc. */
export type Multibase = "b" | "B" | "f" | "F" | "z" | "Q";

/** Encodes bytes in this base, with its prefix. */
export function toMultibase(bytes: Uint8Array, base: Multibase): string {
  switch (base) {
    case "Q":
      return encodeBase58(bytes);
    case "z":
      return `z${encodeBase58(bytes)}`;
    case "b":
      return `b${encodeBits(bytes, ALPHABETS.b, 5)}`;
    case "B":
      return toMultibase(bytes, "b").toUpperCase();
    case "f":
      return `f${encodeBits(bytes, ALPHABETS.f, 4)}`;
    case "F":
      return toMultibase(bytes, "f").toUpperCase();
  }
}

/** Decodes a string in any of these bases; returns `undefined` if it is in none of them. */
export function fromMultibase(text: string): { bytes: Uint8Array; base: Multibase } | undefined {
  const base = text.charAt(0);
  const digits = text.slice(1);
  switch (base) {
    case "Q":
      return withBase(decodeBase58(text), base);
    case "z":
      return withBase(decodeBase58(digits), base);
    // The network ignores case in these two bases.
    case "b":
    case "B":
      return withBase(decodeBits(digits.toLowerCase(), ALPHABETS.b, 5), base);
    case "f":
    case "F":
      return withBase(decodeBits(digits.toLowerCase(), ALPHABETS.f, 4), base);
    default:
      return undefined;
  }
}

function withBase(bytes: Uint8Array | undefined, base: Multibase) {
  return bytes && { bytes, base };
}

/** Encodes by RFC 4648, without padding. */
function encodeBits(bytes: Uint8Array, alphabet: string, bitsPerDigit: number): string {
  // Joined at the end: a string that grows by digits takes thirty times its memory.
  const digits: string[] = [];
  let held = 0;
  let bits = 0;
  for (const byte of bytes) {
    held = (held << 8) | byte;
    bits += 8;
    while (bits >= bitsPerDigit) {
      bits -= bitsPerDigit;
      digits.push(alphabet.charAt(held >> bits));
      held &= (1 << bits) - 1;
    }
  }
  if (bits > 0) digits.push(alphabet.charAt(held << (bitsPerDigit - bits)));
  return digits.join("");
}

function decodeBits(text: string, alphabet: string, bitsPerDigit: number): Uint8Array | undefined {
  const bytes = new Uint8Array(Math.floor((text.length * bitsPerDigit) / 8));
  let held = 0;
  let bits = 0;
  let at = 0;
  for (const digit of text) {
    const value = alphabet.indexOf(digit);
    if (value < 0) return undefined;
    held = (held << bitsPerDigit) | value;
    bits += bitsPerDigit;
    if (bits < 8) continue;
    bits -= 8;
    bytes[at++] = held >> bits;
    held &= (1 << bits) - 1;
  }
  // The remaining bits are padding: fewer than a digit, and zero.
  return held === 0 && bits < bitsPerDigit ? bytes : undefined;
}

function encodeBase58(bytes: Uint8Array): string {
  let number = 0n;
  for (const byte of bytes) number = number * 256n + BigInt(byte);
  let text = "";
  for (; number > 0n; number /= 58n) text = ALPHABETS.z.charAt(Number(number % 58n)) + text;
  const firstDigit = bytes.findIndex((byte) => byte !== 0);
  return "1".repeat(firstDigit < 0 ? bytes.length : firstDigit) + text;
}

function decodeBase58(text: string): Uint8Array | undefined {
  let number = 0n;
  for (const digit of text) {
    const value = ALPHABETS.z.indexOf(digit);
    if (value < 0) return undefined;
    number = number * 58n + BigInt(value);
  }
  const bytes: number[] = [];
  for (; number > 0n; number /= 256n) bytes.unshift(Number(number % 256n));
  const zeros = text.length - text.replace(/^1+/, "").length;
  return Uint8Array.from([...new Array<number>(zeros).fill(0), ...bytes]);
}
