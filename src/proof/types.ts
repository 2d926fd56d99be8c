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
