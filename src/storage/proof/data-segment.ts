import { sha256 } from "@noble/hashes/sha2.js";

// Aggregates of pieces (FRC-0058), as far as verifying needs them: nodes of their trees, and records of their index.

/** From a node to the root: its position among the nodes of its level, and the siblings on the way up. */
export interface TreePath {
  offset: bigint;
  path: readonly Uint8Array[];
}

/** Bytes of a node. */
const NODE_BYTES = 32;

/** Bytes of an index record: commitment, offset, size (both little-endian), checksum. */
const RECORD_BYTES = 64;

/** An aggregate has an index record for each so many bytes, rounded up to a power of two, and at least four. */
const BYTES_PER_RECORD = 2048n * BigInt(RECORD_BYTES);
const MIN_RECORDS = 4n;

/** Hashes bytes to a node: SHA-256 without its two highest bits, so that it is an element of the field. */
export function hashNode(bytes: Uint8Array): Uint8Array {
  return truncate(sha256(bytes));
}

/** Computes the root that a path leads to from a node. The position must be within the path's tree. */
export function computeRoot({ offset, path }: TreePath, node: Uint8Array): Uint8Array {
  let position = offset;
  return path.reduce((below, sibling) => {
    const pair = position & 1n ? [sibling, below] : [below, sibling];
    position >>= 1n;
    const bytes = new Uint8Array(2 * NODE_BYTES);
    pair.forEach((half, at) => void bytes.set(half, at * NODE_BYTES));
    return hashNode(bytes);
  }, node);
}

/** Encodes the index record of a piece; its last 16 bytes are the checksum of the others. */
export function encodeRecord(piece: { commitment: Uint8Array; offset: bigint; size: bigint }): Uint8Array {
  const record = new Uint8Array(RECORD_BYTES);
  const view = new DataView(record.buffer);
  record.set(piece.commitment);
  view.setBigUint64(NODE_BYTES, piece.offset, true);
  view.setBigUint64(NODE_BYTES + 8, piece.size, true);
  record.set(truncate(sha256(record).slice(0, 16)), NODE_BYTES + 16);
  return record;
}

/** Finds where the index of an aggregate starts, which is its end. Sizes in bytes. */
export function findIndexStart(aggregateSize: bigint): bigint {
  let records = MIN_RECORDS;
  while (records * BYTES_PER_RECORD < aggregateSize) records *= 2n;
  return aggregateSize - records * BigInt(RECORD_BYTES);
}

/** Clears the two highest bits of what is a little-endian number. */
function truncate(bytes: Uint8Array): Uint8Array {
  const last = bytes.length - 1;
  bytes[last] = (bytes[last] ?? 0) & 0x3f;
  return bytes;
}
