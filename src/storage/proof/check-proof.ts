import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js";
import * as z from "zod/mini";
import { proofInvalid } from "../../base/errors/content.ts";
import { concatBytes, equalBytes } from "../../base/streams/bytes.ts";
import { textLike, wholeFrom } from "../../base/validation/schema.ts";
import { fromMultibase, toMultibase } from "../../formats/cid/content-id.ts";
import {
  createProofSchemas,
  type InclusionProof,
  type MerklePath,
  PIECE_PREFIX,
  type ProofResponse,
} from "./read-proof.ts";

/** The proved location of data in an aggregate. */
export interface VerifiedInclusion {
  /** An invalid proof is an error instead. */
  valid: true;
  /** Piece id (CommP) of the data. */
  pieceCid: string;
  /** Padded size of the piece, in bytes. */
  pieceSize: number;
  /** Offset of the piece in the aggregate, in bytes. */
  offset: number;
  /** Root of the aggregate, 64 hex characters: what both paths lead to. */
  root: string;
  /** Piece id of the aggregate: a deal that holds the data is about this piece. */
  aggregateCid: string;
  /** Padded size of the aggregate, in bytes. */
  aggregateSize: number;
}

/** A deal and the proved location of the data in it. */
export interface VerifiedDeal extends VerifiedInclusion {
  /** As the network sent it: only the chain knows whether this deal is about `aggregateCid`. */
  dealId: number | string;
  /** As the network sent it. */
  storageProvider: string;
}

/** A whole response of `getProof`, all of its deals verified. */
export interface VerifiedProof extends Pick<VerifiedInclusion, "valid" | "pieceCid" | "pieceSize"> {
  /** At least one. */
  deals: [VerifiedDeal, ...VerifiedDeal[]];
}

export function checkProof(proof: ProofResponse | InclusionProof): VerifiedProof | VerifiedInclusion {
  const read = readProof(proof);
  if (!("dealInfo" in read)) return verifyInclusion(read, {});

  const deals = read.dealInfo.map(({ dealId, storageProvider, proof }) => ({
    dealId,
    storageProvider,
    ...verifyInclusion(proof, { dealId }),
  }));
  const [first, ...others] = deals;
  if (!first) throw malformed("dealInfo");
  const { pieceCid, pieceSize } = first;
  for (const deal of others) {
    if (deal.pieceCid !== pieceCid) throw proofInvalid("the deals are about different pieces", { dealId: deal.dealId });
  }
  if (read.pieceCID !== undefined && !isPieceOf(deals, read.pieceCID)) {
    throw proofInvalid("pieceCID is the piece of neither the data nor a deal", { field: "pieceCID" });
  }
  return { valid: true, pieceCid, pieceSize, deals: [first, ...others] };
}

/** Checks the form of each part of a proof or a whole response, not yet their relations. */
function readProof(proof: unknown): ProofResponse | InclusionProof {
  const { response, inclusion } = createProofSchemas({ text: textLike, bytes: wholeFrom(0), maxPath: 63 });
  const isResponse = typeof proof === "object" && proof !== null && "dealInfo" in proof;
  const read = isResponse ? z.safeParse(response, proof) : z.safeParse(inclusion, proof);
  if (read.success) return read.data;
  throw malformed(read.error.issues[0]?.path.join(".") ?? "");
}

function malformed(field: string): Error {
  return proofInvalid(`${field || "it"} is malformed`, { field });
}

function toPieceCid(commitment: Uint8Array): string {
  return toMultibase(hexToBytes(PIECE_PREFIX + bytesToHex(commitment)), "b");
}

/** Services differ in which of the two pieces they name. */
function isPieceOf(deals: readonly VerifiedDeal[], pieceCid: string): boolean {
  const bytes = fromMultibase(pieceCid)?.bytes;
  const text = bytes && toMultibase(bytes, "b");
  return deals.some((deal) => text === deal.pieceCid || text === deal.aggregateCid);
}

/** Minimum size of a piece. */
const MIN_PIECE_BYTES = 128n;

/**
 * Checks everything in a proof that can be checked without a chain (FRC-0058, "Verifying inclusion").
 *
 * @param details - of the error
 * @throws `PROOF_INVALID`
 */
function verifyInclusion(
  { verifierData, inclusionProof, indexRecord }: InclusionProof,
  details: Record<string, unknown>,
): VerifiedInclusion {
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
  holds(equalBytes(hexToBytes(indexRecord.proofIndex), commitment), "the index record is about another piece");
  holds(offset === subtree.offset * size, "the index record states another offset of the piece");
  const record = encodeRecord({ commitment, offset, size });
  const checksum = record.subarray(CHECKSUM_OFFSET);
  holds(equalBytes(hexToBytes(indexRecord.checksum), checksum), "the checksum of the index record is wrong");

  const aggregateSize = size << BigInt(subtree.path.length);
  holds(aggregateSize <= BigInt(Number.MAX_SAFE_INTEGER), "the aggregate is too large");
  holds(
    aggregateSize === BigInt(INDEX_RECORD_BYTES) << BigInt(index.path.length),
    "the two paths are not of trees of one size",
  );
  const indexStart = findIndexStart(aggregateSize);
  holds(offset + size <= indexStart, "the piece reaches into the index");
  holds(index.offset * BigInt(INDEX_RECORD_BYTES) >= indexStart, "the index record is outside of the index");

  holds(index.offset >> BigInt(index.path.length) === 0n, "the index record is outside of the tree");
  const root = computeRoot(subtree, commitment);
  holds(equalBytes(root, computeRoot(index, hashNode(record))), "the two paths lead to different roots");
  return {
    valid: true,
    pieceCid: toPieceCid(commitment),
    pieceSize: Number(size),
    offset: Number(offset),
    root: bytesToHex(root),
    aggregateCid: toPieceCid(root),
    aggregateSize: Number(aggregateSize),
  };
}

function readPath({ index, path }: MerklePath): TreePath {
  return { offset: BigInt(`0x${index}`), path: path.map(hexToBytes) };
}

// Aggregates of pieces (FRC-0058), as far as verifying needs them: nodes of their trees, and records of their index.

/** From a node to the root: its position among the nodes of its level, and the siblings on the way up. */
interface TreePath {
  offset: bigint;
  path: readonly Uint8Array[];
}

/** Bytes of a node. */
const NODE_BYTES = 32;

/** Bytes of an index record, as of two nodes: commitment, offset, size (both little-endian), checksum. */
const INDEX_RECORD_BYTES = 64;
const CHECKSUM_OFFSET = 48;

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
    const pair = position & 1n ? [sibling, below] : [below, sibling];
    position >>= 1n;
    return hashNode(concatBytes(pair));
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
