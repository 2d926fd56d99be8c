import { formatCid } from "../../formats/cid/content-id.ts";
import { readVarint } from "./varint.ts";

/** How a block is encoded: bytes of a file, or a node of a UnixFS tree. */
type BlockCodec = "raw" | "dag-pb";

/** A content id of the kind whose blocks this kit can read. */
export interface BlockId {
  codec: BlockCodec;
  /** `identity`: the digest is the block itself. */
  hash: "sha2-256" | "identity";
  digest: Uint8Array;
}

const CODECS: ReadonlyMap<number, BlockCodec> = new Map([
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
  if (bytes[0] === SHA_256 && bytes[1] === SHA_256_BYTES) {
    return bytes.length === SHA_256_BYTES + 2
      ? { codec: "dag-pb", hash: "sha2-256", digest: bytes.subarray(2) }
      : undefined;
  }
  const version = readVarint(bytes, 0);
  const codec = version?.value === 1 ? readVarint(bytes, version.end) : undefined;
  const hash = codec && readVarint(bytes, codec.end);
  const length = hash && readVarint(bytes, hash.end);
  const codecName = codec && CODECS.get(codec.value);
  if (!length || !codecName || bytes.length !== length.end + length.value) return undefined;
  const digest = bytes.subarray(length.end);
  if (hash.value === SHA_256 && digest.length === SHA_256_BYTES) return { codec: codecName, hash: "sha2-256", digest };
  if (hash.value === IDENTITY && digest.length <= MAX_IDENTITY_BYTES) {
    return { codec: codecName, hash: "identity", digest };
  }
  return undefined;
}

/** Formats a content id in version 1 and base32. */
export function formatBlockId({ codec, hash, digest }: BlockId): string {
  const code = codec === "raw" ? 0x55 : 0x70;
  const bytes = Uint8Array.from([1, code, hash === "identity" ? IDENTITY : SHA_256, digest.length, ...digest]);
  return formatCid(bytes);
}
