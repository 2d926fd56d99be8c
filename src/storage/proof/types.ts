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
export interface VerifiedProof {
  /** An invalid proof is an error instead. */
  valid: true;
  /** Piece id (CommP) of the data. */
  pieceCid: string;
  /** Padded size of the piece, in bytes. */
  pieceSize: number;
  /** At least one. */
  deals: [VerifiedDeal, ...VerifiedDeal[]];
}
