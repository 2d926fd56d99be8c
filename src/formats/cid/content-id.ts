import { concatBytes, equalBytes } from "../../base/streams/bytes.ts";
import { fromMultibase, type Multibase, toMultibase } from "./multibase.ts";

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
  for (const codec of version === 0 ? (["dag-pb"] as const) : (["raw", "dag-pb"] as const)) {
    const expected = encodeCid(version, codec, bytes.slice(-DIGEST_BYTES));
    if (equalBytes(bytes, expected)) return { version, codec, bytes, base };
  }
  return undefined;
}

/** Normalises a content id to one string per block: version 0 as version 1, in base32. */
export function toBlockId(cid: Uint8Array): string {
  return formatCid(cid[0] === SHA_256[0] ? encodeCid(1, "dag-pb", cid.subarray(-DIGEST_BYTES)) : cid);
}
