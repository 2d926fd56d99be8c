import { sha256 } from "#platform";
import { concatBytes, countBytes, equalBytes } from "../../base/streams/bytes.ts";
import { type Codec, encodeCid, formatCid } from "../../formats/cid/content-id.ts";

/** A content id of the kind whose blocks this kit can read. */
export interface BlockId {
  codec: Codec;
  /** `identity`: the digest is the block itself. */
  hash: "sha2-256" | "identity";
  digest: Uint8Array;
}

const CODECS: ReadonlyMap<number, Codec> = new Map([
  [0x55, "raw"],
  [0x70, "dag-pb"],
]);

const SHA_256 = 0x12;
const SHA_256_BYTES = 32;
const IDENTITY = 0x00;

/** Longest block within a content id, in bytes, as Kubo limits it. */
const MAX_IDENTITY_BYTES = 128;

/** Parses a content id in bytes (version 0 or 1); returns `undefined` for any other codec or hash. */
export function readBlockId(bytes: Uint8Array): BlockId | undefined {
  const start = readIdAtStart(bytes);
  return start?.end === bytes.length ? start.id : undefined;
}

/** Parses the content id that bytes start with, and where it ends; its `id` is undefined for any other codec or hash. */
export function readIdAtStart(bytes: Uint8Array): { id: BlockId | undefined; end: number } | undefined {
  if (bytes[0] === SHA_256 && bytes[1] === SHA_256_BYTES) {
    const end = SHA_256_BYTES + 2;
    const digest = bytes.subarray(2, end);
    return bytes.length < end ? undefined : { id: { codec: "dag-pb", hash: "sha2-256", digest }, end };
  }
  const version = readVarint(bytes, 0);
  const codecCode = version && readVarint(bytes, version.end);
  const hash = codecCode && readVarint(bytes, codecCode.end);
  const length = hash && readVarint(bytes, hash.end);
  if (!length || bytes.length < length.end + length.value) return undefined;
  const end = length.end + length.value;
  const digest = bytes.subarray(length.end, end);
  const codec = version.value === 1 ? CODECS.get(codecCode.value) : undefined;
  if (codec && hash.value === SHA_256 && length.value === SHA_256_BYTES) {
    return { id: { codec, hash: "sha2-256", digest }, end };
  }
  const isIdentity = hash.value === IDENTITY && length.value <= MAX_IDENTITY_BYTES;
  return { id: codec && isIdentity ? { codec, hash: "identity", digest } : undefined, end };
}

/** Formats a content id in version 1 and base32. */
export function formatBlockId({ codec, hash, digest }: BlockId): string {
  if (hash === "sha2-256") return formatCid(encodeCid(1, codec, digest));
  return formatCid(Uint8Array.from([1, codec === "raw" ? 0x55 : 0x70, IDENTITY, digest.length, ...digest]));
}

/** Largest block that is read, in bytes; IPFS itself transfers no larger ones (Bitswap). */
export const MAX_BLOCK_BYTES = 2 * 1024 * 1024;

/** Whether these bytes, in parts, are the block of this content id. Resolved at once if the runtime hashes at once. */
export function isBlock({ hash, digest }: BlockId, parts: readonly Uint8Array[]): boolean | Promise<boolean> {
  if (hash === "identity") return equalBytes(digest, concatBytes(parts));
  const size = countBytes(parts);
  return size <= MAX_BLOCK_BYTES && isDigest(digest, parts);
}

/** Whether this is the SHA-256 of all parts in order. */
export function isDigest(digest: Uint8Array, parts: readonly Uint8Array[]): boolean | Promise<boolean> {
  const got = sha256(...parts);
  return got instanceof Uint8Array ? equalBytes(digest, got) : got.then((bytes) => equalBytes(digest, bytes));
}

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
