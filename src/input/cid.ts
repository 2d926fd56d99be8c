import { invalidCid } from "../errors/input.ts";

const BASE16 = "0123456789abcdef";
const BASE32 = "abcdefghijklmnopqrstuvwxyz234567";
const BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

/** Version 0: a SHA-256 multihash in base58btc. */
const VERSION_0 = /^Qm[1-9A-HJ-NP-Za-km-z]{44}$/;

/**
 * Version 1 by its multibase prefix: base32, base16 and base58btc. Case does not matter in the first two,
 * as with every reader of the network. The bytes have to make sense too.
 */
const VERSION_1: readonly { form: RegExp; bytes: (digits: string) => Uint8Array | undefined }[] = [
  { form: /^b[a-z2-7]{58,}$/i, bytes: (digits) => fromBits(digits.toLowerCase(), BASE32, 5) },
  { form: /^f[0-9a-f]{50,}$/i, bytes: (digits) => fromBits(digits.toLowerCase(), BASE16, 4) },
  { form: /^z[1-9A-HJ-NP-Za-km-z]{48,}$/, bytes: fromBase58 },
];

/** Twice what the longest hash in use needs; base58 takes time that grows with the square of the length. */
const MAX_CHARACTERS = 512;

/**
 * Gives the content id back, or throws `INVALID_CID`. Text around an id is refused, also such as could be
 * digits of a longer one: a version 1 id says how long its hash is (the CID and multihash specifications).
 */
export function checkCid(cid: unknown): string {
  if (typeof cid !== "string" || cid.length > MAX_CHARACTERS) throw invalidCid();
  if (VERSION_0.test(cid)) return cid;
  const bytes = VERSION_1.find(({ form }) => form.test(cid))?.bytes(cid.slice(1));
  if (!bytes || !isVersion1(bytes)) throw invalidCid();
  return cid;
}

/** Version 1, codec, hash function, hash length, and that many bytes of hash. */
function isVersion1(bytes: Uint8Array): boolean {
  let at = 0;
  /** An unsigned varint of the multiformats: at most 9 bytes, none more than it takes; NaN if it is not one. */
  function next(): number {
    let value = 0;
    for (let size = 1; size <= 9; size++) {
      const byte = bytes[at++] ?? Number.NaN;
      value += (byte % 128) * 128 ** (size - 1);
      if (byte < 128) return byte === 0 && size > 1 ? Number.NaN : value;
    }
    return Number.NaN;
  }
  const [version = 0, codec = 0, hash = 0, length = 0] = [next(), next(), next(), next()];
  return version === 1 && !Number.isNaN(codec + hash) && length === bytes.length - at;
}

/** Bytes from digits of `width` bits each; undefined if the bits left over are not zeros, and fewer than a digit. */
function fromBits(digits: string, alphabet: string, width: number): Uint8Array | undefined {
  const bytes: number[] = [];
  let pending = 0;
  let bits = 0;
  for (const digit of digits) {
    pending = (pending << width) | alphabet.indexOf(digit);
    bits += width;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push(pending >> bits);
    pending &= (1 << bits) - 1;
  }
  return bits >= width || pending !== 0 ? undefined : Uint8Array.from(bytes);
}

/** Bytes of a number in base58; version 1 begins with a byte that is not zero. */
function fromBase58(digits: string): Uint8Array | undefined {
  let number = 0n;
  for (const digit of digits) number = number * 58n + BigInt(BASE58.indexOf(digit));
  const hex = number.toString(16);
  return digits.startsWith("1") ? undefined : fromBits(hex.length % 2 === 0 ? hex : `0${hex}`, BASE16, 4);
}
