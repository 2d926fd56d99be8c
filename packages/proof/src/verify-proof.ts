import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js";
import { type InclusionProof, KeeplightError, type MerklePath, type ProofResponse } from "keeplight";
import { copyInput } from "keeplight/parts";
import * as z from "zod/mini";
import {
  CHECKSUM_OFFSET,
  computeRoot,
  encodeRecord,
  findIndexStart,
  hashNode,
  INDEX_RECORD_BYTES,
  type TreePath,
} from "./aggregate.ts";
import { normalizePieceCid, PIECE_PREFIX, toPieceCid } from "./piece-cid.ts";
import { inclusion, response } from "./schemas.ts";

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

/**
 * Verifies a proof of data segment inclusion (PoDSI, FRC-0058) on this machine: the piece and the index record
 * lead to one root, each from its required position; the record names this piece, its offset and its size, and its
 * checksum is right. A proof does not show that a deal is about that root, nor that the piece is about a file.
 *
 * @param proof - a response of `getProof`, or the `proof` of one of its deals
 * @returns the proved location of the data; for a response, in each deal
 * @throws `PROOF_INVALID`; the message names the check that failed, `details.dealId` the deal
 *
 * @example
 * const { deals } = await verifyProof(await getProof(cid));
 * console.log(deals[0].aggregateCid, deals[0].dealId);
 */
export async function verifyProof(proof: ProofResponse): Promise<VerifiedProof>;
export async function verifyProof(proof: InclusionProof): Promise<VerifiedInclusion>;
export async function verifyProof(proof: ProofResponse | InclusionProof): Promise<VerifiedProof | VerifiedInclusion> {
  const read = readProof(copyInput(proof, "proof"));
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
  const isResponse = typeof proof === "object" && proof !== null && "dealInfo" in proof;
  const read = isResponse ? z.safeParse(response, proof) : z.safeParse(inclusion, proof);
  if (read.success) return read.data;
  throw malformed(read.error.issues[0]?.path.join(".") ?? "");
}

const proofInvalid = (problem: string, details: { field?: string; dealId?: number | string } = {}) =>
  new KeeplightError("PROOF_INVALID", `The proof does not hold: ${problem}`, { details });

function malformed(field: string): Error {
  return proofInvalid(`${field || "it"} is malformed`, { field });
}

/** Services differ in which of the two pieces they name. */
function isPieceOf(deals: readonly VerifiedDeal[], pieceCid: string): boolean {
  const text = normalizePieceCid(pieceCid);
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
  details: { dealId?: number | string },
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
  holds(isSame(hexToBytes(indexRecord.proofIndex), commitment), "the index record is about another piece");
  holds(offset === subtree.offset * size, "the index record states another offset of the piece");
  const record = encodeRecord({ commitment, offset, size });
  const checksum = record.subarray(CHECKSUM_OFFSET);
  holds(isSame(hexToBytes(indexRecord.checksum), checksum), "the checksum of the index record is wrong");

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
  holds(isSame(root, computeRoot(index, hashNode(record))), "the two paths lead to different roots");
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

function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return bytesToHex(one) === bytesToHex(other);
}
