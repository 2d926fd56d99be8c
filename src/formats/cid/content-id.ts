import { invalidCid } from "../../base/errors/input.ts";
import { concatBytes, equalBytes } from "../../base/streams/bytes.ts";

/** Version of a content id. */
export type CidVersion = 0 | 1;

/** What a block holds: raw bytes, or a node of a UnixFS tree. */
export type Codec = "raw" | "dag-pb";

const CODES = { raw: 0x55, "dag-pb": 0x70 } as const satisfies Record<Codec, number>;

/** Multihash prefix: SHA-256, 32 bytes. */
const SHA_256 = [0x12, 0x20];
const DIGEST_BYTES = 32;

/** Encodes a content id as blocks contain it: version 0 is the bare multihash. */
export function encodeCid(version: CidVersion, codec: Codec, digest: Uint8Array): Uint8Array {
  return concatBytes([version === 0 ? SHA_256 : [1, CODES[codec], ...SHA_256], digest]);
}

/** Formats a content id: version 0 in base58btc, version 1 in base32 by default. */
export function formatCid(cid: Uint8Array, base: Multibase = "b"): string {
  return toMultibase(cid, cid[0] === SHA_256[0] ? "Q" : base);
}

/** A content id of the kind that this kit can compute. */
export interface ParsedCid {
  version: CidVersion;
  codec: Codec;
  bytes: Uint8Array;
  base: Multibase;
}

/** Parses a content id in any form; returns `undefined` unless it is of SHA-256 over a raw block or a UnixFS node. */
export function readCid(text: string): ParsedCid | undefined {
  const decoded = fromMultibase(text);
  if (!decoded) return undefined;
  const { bytes, base } = decoded;
  const version = base === "Q" ? 0 : 1;
  const codecs: Codec[] = version === 0 ? ["dag-pb"] : ["raw", "dag-pb"];
  const codec = codecs.find((one) => equalBytes(bytes, encodeCid(version, one, bytes.slice(-DIGEST_BYTES))));
  return codec && { version, codec, bytes, base };
}

/** Normalises a content id to one string per block: version 0 as version 1, in base32. */
export function toBlockId(cid: Uint8Array): string {
  return formatCid(cid[0] === SHA_256[0] ? encodeCid(1, "dag-pb", cid.subarray(-DIGEST_BYTES)) : cid);
}

/**
 * The forms that clients of the network accept: version 0 (base58btc), and version 1 in base32, base58btc and
 * base16 at these lengths. Case does not matter in base32 and base16.
 */
const USUAL_FORMS = /^(Qm[1-9A-HJ-NP-Za-km-z]{44}|[bB][a-zA-Z2-7]{58}|z[1-9A-HJ-NP-Za-km-z]{48}|[fF][0-9a-fA-F]{50})$/;

/** Ids of version 1 at any other length: longer hashes, base16 in full. Their bytes are checked, too. */
const OTHER_LENGTHS = /^([bB][a-zA-Z2-7]{58,}|z[1-9A-HJ-NP-Za-km-z]{48,}|[fF][0-9a-fA-F]{50,})$/;

/** Twice what the longest hash in use needs; base58 takes time that grows with the square of the length. */
const MAX_CHARACTERS = 512;

/**
 * Returns the content id as the network encodes it, base32 and base16 in lower case, or throws `INVALID_CID`, whose
 * details name it. Extra characters are refused even if they could be digits of a longer id: a version 1 id states the
 * length of its hash (the CID and multihash specifications).
 */
export function checkCid(cid: unknown): string {
  if (typeof cid !== "string") throw invalidCid(cid);
  if (USUAL_FORMS.test(cid)) return toLowerCase(cid);
  const bytes = OTHER_LENGTHS.test(cid) ? fromMultibase(cid)?.bytes : undefined;
  if (!bytes || !isVersion1(bytes)) throw invalidCid(cid);
  return toLowerCase(cid);
}

/** Whether two ids name the same content: in any version and base. */
export function isSameCid(one: string, other: string): boolean {
  const [first, second] = [fromMultibase(one)?.bytes, fromMultibase(other)?.bytes];
  return first !== undefined && second !== undefined && toBlockId(first) === toBlockId(second);
}

/** Services compare ids as strings, and would not find one in upper case. */
function toLowerCase(cid: string): string {
  return /^[bBfF]/.test(cid) ? cid.toLowerCase() : cid;
}

/** Version 1, codec, hash function, hash length, and that many bytes of hash. */
function isVersion1(bytes: Uint8Array): boolean {
  let at = 0;
  /** Reads an unsigned varint of the multiformats: at most 9 bytes, in its shortest form; NaN if it is not one. */
  function readVarint(): number {
    let value = 0;
    for (let size = 1; size <= 9; size++) {
      const byte = bytes[at++] ?? Number.NaN;
      value += (byte % 128) * 128 ** (size - 1);
      if (byte < 128) return byte === 0 && size > 1 ? Number.NaN : value;
    }
    return Number.NaN;
  }
  const [version = 0, codec = 0, hash = 0, length = 0] = [readVarint(), readVarint(), readVarint(), readVarint()];
  return version === 1 && !Number.isNaN(codec + hash) && length === bytes.length - at;
}

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
  if (base === "Q") return encodeBase58(bytes);
  if (base === "z") return `z${encodeBase58(bytes)}`;
  const lower = base.toLowerCase() as "b" | "f";
  const text = lower + encodeBits(bytes, lower);
  return base === lower ? text : text.toUpperCase();
}

/** Decodes a string in any of these bases; returns `undefined` if it is in none of them, or too long for a content id. */
export function fromMultibase(text: string): { bytes: Uint8Array; base: Multibase } | undefined {
  if (text.length > MAX_CHARACTERS) return undefined;
  const base = text.charAt(0) as Multibase;
  const digits = text.slice(1);
  let bytes: Uint8Array | undefined;
  if (base === "Q") bytes = decodeBase58(text);
  else if (base === "z") bytes = decodeBase58(digits);
  // The network ignores case in these two bases.
  else if (/^[bf]/i.test(text)) bytes = decodeBits(digits.toLowerCase(), base.toLowerCase() as "b" | "f");
  return bytes && { bytes, base };
}

/** Encodes by RFC 4648, without padding. */
function encodeBits(bytes: Uint8Array, base: "b" | "f"): string {
  const alphabet = ALPHABETS[base];
  const bitsPerDigit = Math.log2(alphabet.length);
  const { groups, rest, bits } = regroup(bytes, 8, bitsPerDigit);
  if (bits > 0) groups.push(rest << (bitsPerDigit - bits));
  // Joined at the end: a string that grows by digits takes thirty times its memory.
  return groups.map((digit) => alphabet.charAt(digit)).join("");
}

function decodeBits(text: string, base: "b" | "f"): Uint8Array | undefined {
  const alphabet = ALPHABETS[base];
  const bitsPerDigit = Math.log2(alphabet.length);
  const digits = Array.from(text, (digit) => alphabet.indexOf(digit));
  const { groups, rest, bits } = regroup(digits, bitsPerDigit, 8);
  // The remaining bits are padding: fewer than a digit, and zero.
  return rest === 0 && bits < bitsPerDigit && !digits.includes(-1) ? Uint8Array.from(groups) : undefined;
}

/** Turns groups of `from` bits into groups of `to` bits, the highest bit first; `rest` are the `bits` that fill no group. */
function regroup(values: Iterable<number>, from: number, to: number) {
  const groups: number[] = [];
  let rest = 0;
  let bits = 0;
  for (const value of values) {
    rest = (rest << from) | value;
    for (bits += from; bits >= to; rest &= (1 << bits) - 1) {
      bits -= to;
      groups.push(rest >> bits);
    }
  }
  return { groups, rest, bits };
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
