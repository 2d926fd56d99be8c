import { fromMultibase, type Multibase, toMultibase } from "./multibase.ts";

/** Version of a content id. */
export type CidVersion = 0 | 1;

/** What a block is: bytes as they are, or a node of a UnixFS tree. */
export type Codec = "raw" | "dag-pb";

const CODES = { raw: 0x55, "dag-pb": 0x70 } as const satisfies Record<Codec, number>;

/** Multihash prefix: SHA-256, 32 bytes. */
const SHA_256 = [0x12, 0x20];
const DIGEST_BYTES = 32;

/** A content id as it stands inside of blocks: version 0 is the bare multihash. */
export function encodeCid(version: CidVersion, codec: Codec, digest: Uint8Array): Uint8Array {
  const prefix = version === 0 ? SHA_256 : [1, CODES[codec], ...SHA_256];
  const bytes = new Uint8Array(prefix.length + digest.length);
  bytes.set(prefix);
  bytes.set(digest, prefix.length);
  return bytes;
}

/** A content id as text: version 0 in base58btc, version 1 in base32 unless told otherwise. */
export function cidText(cid: Uint8Array, base: Multibase = "b"): string {
  return toMultibase(cid, cid[0] === SHA_256[0] ? "Q" : base);
}

/** A content id of the kind that this kit can compute. */
export interface ReadCid {
  version: CidVersion;
  codec: Codec;
  bytes: Uint8Array;
  base: Multibase;
}

/** Reads a content id in any form; undefined if it is not of SHA-256 over a raw block or a UnixFS node. */
export function readCid(text: string): ReadCid | undefined {
  const read = fromMultibase(text);
  if (!read) return undefined;
  const { bytes, base } = read;
  const version = base === "Q" ? 0 : 1;
  for (const codec of version === 0 ? (["dag-pb"] as const) : (["raw", "dag-pb"] as const)) {
    const expected = encodeCid(version, codec, bytes.slice(-DIGEST_BYTES));
    if (sameBytes(bytes, expected)) return { version, codec, bytes, base };
  }
  return undefined;
}

/** The block that a content id stands for, however the id is written: version 0 as version 1, in base32. */
export function blockId(cid: Uint8Array): string {
  return cidText(cid[0] === SHA_256[0] ? encodeCid(1, "dag-pb", cid.subarray(-DIGEST_BYTES)) : cid);
}

export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, at) => byte === b[at]);
}
