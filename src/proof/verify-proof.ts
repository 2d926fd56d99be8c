import type { InclusionProof, ProofAnswer } from "./read-proof.ts";

/** Where a piece of data is proved to be. */
export interface VerifiedInclusion {
  /** A proof that is not is an error. */
  valid: true;
  /** Piece id (CommP) of the data. */
  pieceCid: string;
  /** Padded size of the piece, in bytes. */
  pieceSize: number;
  /** Offset of the piece in the aggregate, in bytes. */
  offset: number;
  /** Root of the aggregate, 64 hex characters: what both ways up lead to. */
  root: string;
  /** Piece id of the aggregate: a deal that holds the data is about this piece. */
  aggregateCid: string;
  /** Padded size of the aggregate, in bytes. */
  aggregateSize: number;
}

/** A deal and what is proved to be in its data. */
export interface VerifiedDeal extends VerifiedInclusion {
  /** As the network told it: only the chain knows whether this deal is about `aggregateCid`. */
  dealId: number | string;
  /** As the network told it. */
  storageProvider: string;
}

/** A whole answer of `getProof`, every deal of it verified. */
export interface VerifiedProof {
  /** A proof that is not is an error. */
  valid: true;
  /** Piece id (CommP) of the data. */
  pieceCid: string;
  /** Padded size of the piece, in bytes. */
  pieceSize: number;
  /** At least one. */
  deals: VerifiedDeal[];
}

/**
 * Verifies a proof of data segment inclusion (PoDSI, FRC-0058) on this machine: the piece and the index record
 * lead to one root, each from where it has to be; the record is about this piece, its place and size, and its
 * checksum is right. That a deal is about that root, and the piece about a file, is not in a proof.
 *
 * @param proof - what `getProof` answers, or the `proof` of one of its deals
 * @returns where the data is proved to be; of an answer, for each deal
 * @throws `PROOF_INVALID`; the message says what does not hold, `details.dealId` in which deal
 *
 * @example
 * const { deals } = await verifyProof(await getProof(cid));
 * console.log(deals[0].aggregateCid, deals[0].dealId);
 */
export async function verifyProof(proof: ProofAnswer): Promise<VerifiedProof>;
export async function verifyProof(proof: InclusionProof): Promise<VerifiedInclusion>;
export async function verifyProof(proof: ProofAnswer | InclusionProof): Promise<VerifiedProof | VerifiedInclusion> {
  const { checkProof } = await import("./check-proof.ts");
  return checkProof(proof);
}
