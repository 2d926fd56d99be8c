import { sha256 } from "@noble/hashes/sha2.js";
import { concatBytes } from "@noble/hashes/utils.js";

// Aggregates of pieces (FRC-0058), as far as verifying needs them: nodes of their trees, and records of their index.

/** From a node to the root: its position among the nodes of its level, and the siblings on the way up. */
export interface TreePath {
  offset: bigint;
  path: readonly Uint8Array[];
}

/** Bytes of a node. */
const NODE_BYTES = 32;

/** Bytes of an index record, as of two nodes: commitment, offset, size (both little-endian), checksum. */
export const INDEX_RECORD_BYTES = 64;
export const CHECKSUM_OFFSET = 48;

/** An aggregate has an index record for each so many bytes, rounded up to a power of two, and at least four. */
const BYTES_PER_RECORD = 2048n * BigInt(INDEX_RECORD_BYTES);
const MIN_RECORDS = 4n;

/** Hashes bytes to a node: SHA-256 without its two highest bits, so that it is an element of the field. */
export function hashNode(bytes: Uint8Array): Uint8Array {
  return truncate(sha256(bytes));
}

/** Computes the root that a path leads to from a node. The position must be within the path's tree. */
export function computeRoot({ offset, path }: TreePath, node: Uint8Array): Uint8Array {
  let position = offset;
  return path.reduce((below, sibling) => {
    const pair = position & 1n ? concatBytes(sibling, below) : concatBytes(below, sibling);
    position >>= 1n;
    return hashNode(pair);
  }, node);
}

/** Encodes the index record of a piece; its last 16 bytes are the checksum of the others. */
export function encodeRecord(piece: { commitment: Uint8Array; offset: bigint; size: bigint }): Uint8Array {
  const record = new Uint8Array(INDEX_RECORD_BYTES);
  const view = new DataView(record.buffer);
  record.set(piece.commitment);
  view.setBigUint64(NODE_BYTES, piece.offset, true);
  view.setBigUint64(NODE_BYTES + 8, piece.size, true);
  record.set(truncate(sha256(record).slice(0, 16)), CHECKSUM_OFFSET);
  return record;
}

/** Finds where the index of an aggregate starts, which is its end. Sizes in bytes. */
export function findIndexStart(aggregateSize: bigint): bigint {
  let records = MIN_RECORDS;
  while (records * BYTES_PER_RECORD < aggregateSize) records *= 2n;
  return aggregateSize - records * BigInt(INDEX_RECORD_BYTES);
}

/** Clears the two highest bits of what is a little-endian number. */
function truncate(bytes: Uint8Array): Uint8Array {
  const last = bytes.length - 1;
  bytes[last] = (bytes[last] ?? 0) & 0x3f;
  return bytes;
}
