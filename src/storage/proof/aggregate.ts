import { hexToBytes } from "@noble/hashes/utils.js";
import { proofInvalid } from "../../base/errors/proof.ts";
import { computeRoot, encodeRecord, findIndexStart, hashNode, type TreePath } from "./data-segment.ts";
import { type InclusionProof, type MerklePath, PIECE_PREFIX } from "./read-proof.ts";

/** Bytes of an index record, which is two nodes of the tree over an aggregate. */
const RECORD_BYTES = 64n;

/** Where the checksum of an index record starts. */
const CHECKSUM_OFFSET = 48;

/** Minimum size of a piece. */
const MIN_PIECE_BYTES = 128n;

/** The proved location of a piece. Sizes and offset in bytes. */
export interface ProvedPlace {
  commitment: Uint8Array;
  pieceSize: number;
  offset: number;
  root: Uint8Array;
  aggregateSize: number;
}

/**
 * Checks everything in a proof that can be checked without a chain (FRC-0058, "Verifying inclusion").
 *
 * @param details - of the error
 * @throws `PROOF_INVALID`
 */
export function provePlace(
  { verifierData, inclusionProof, indexRecord }: InclusionProof,
  details: Record<string, unknown>,
): ProvedPlace {
  function holds(condition: boolean, otherwise: string): void {
    if (!condition) throw proofInvalid(otherwise, details);
  }
  const commitment = hexToBytes(verifierData.commPc.slice(PIECE_PREFIX.length));
  const size = BigInt(`0x${verifierData.sizePc}`);
  const offset = BigInt(indexRecord.proofSubtree);
  const subtree = readPath(inclusionProof.proofSubtree);
  const index = readPath(inclusionProof.proofIndex);

  holds(size >= MIN_PIECE_BYTES && (size & (size - 1n)) === 0n, "the size of the piece is not a power of two");
  holds(BigInt(indexRecord.size) === size, "the index record states another size of the piece");
  holds(same(hexToBytes(indexRecord.proofIndex), commitment), "the index record is about another piece");
  holds(offset === subtree.offset * size, "the index record states another offset of the piece");
  const record = encodeRecord({ commitment, offset, size });
  holds(
    same(hexToBytes(indexRecord.checksum), record.subarray(CHECKSUM_OFFSET)),
    "the checksum of the index record is wrong",
  );

  const aggregateSize = size << BigInt(subtree.path.length);
  holds(aggregateSize <= BigInt(Number.MAX_SAFE_INTEGER), "the aggregate is too large");
  holds(aggregateSize === RECORD_BYTES << BigInt(index.path.length), "the two paths are not of trees of one size");
  const indexStart = findIndexStart(aggregateSize);
  holds(offset + size <= indexStart, "the piece reaches into the index");
  holds(index.offset * RECORD_BYTES >= indexStart, "the index record is outside of the index");

  holds(index.offset >> BigInt(index.path.length) === 0n, "the index record is outside of the tree");
  const root = computeRoot(subtree, commitment);
  const rootByIndex = computeRoot(index, hashNode(record));
  holds(same(root, rootByIndex), "the two paths lead to different roots");
  return {
    commitment,
    pieceSize: Number(size),
    offset: Number(offset),
    root,
    aggregateSize: Number(aggregateSize),
  };
}

function readPath({ index, path }: MerklePath): TreePath {
  return { offset: BigInt(`0x${index}`), path: path.map(hexToBytes) };
}

function same(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, at) => byte === b[at]);
}
