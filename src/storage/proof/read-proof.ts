import * as z from "zod/mini";
import { numberThat } from "../../base/validation/schema.ts";

/** A path of a Merkle tree: hashes are 64 lower-case hex characters, from the leaf's sibling on. */
export interface MerklePath {
  /** Position of the node it starts from, hex without `0x`. */
  index: string;
  /** From the sibling of that node to the child of the root. */
  path: string[];
}

/** Proof that a piece is in an aggregate of pieces (FRC-0058), in the network's format for one deal. */
export interface InclusionProof {
  /** What is proved to be in the aggregate. */
  verifierData: {
    /** Piece id of the data: the bytes of its CID, hex. */
    commPc: string;
    /** Padded size of the piece in bytes, hex without `0x`. */
    sizePc: string;
  };
  /** Two paths, which must lead to the same root. */
  inclusionProof: {
    /** From the index record to the root. */
    proofIndex: MerklePath;
    /** From the piece to the root. */
    proofSubtree: MerklePath;
  };
  /** The aggregate's own record of the piece. */
  indexRecord: {
    /** First 16 bytes of the record's own hash, hex. */
    checksum: string;
    /** Commitment of the piece, hex. */
    proofIndex: string;
    /** Offset of the piece in the aggregate, in bytes. */
    proofSubtree: number;
    /** Padded size of the piece in bytes. */
    size: number;
  };
}

/** A response of `getProof`. */
export interface ProofResponse {
  /** Piece id (CommP), if the network sends it. */
  pieceCID?: string | undefined;
  /** One for each deal; at least one. */
  dealInfo: {
    /** Id of the deal on the chain. */
    dealId: number | string;
    /** The provider that stores the data. */
    storageProvider: string;
    /** That the file is in the data of this deal. */
    proof: InclusionProof;
  }[];
}

type Text = z.ZodMiniType<string>;

/** Checks the parts of a proof. */
interface PartChecks {
  /** A whole number in hex. */
  hex: Text;
  hash: Text;
  pieceId: Text;
  checksum: Text;
  path: z.ZodMiniType<string[]>;
  bytes: z.ZodMiniType<number>;
}

/** The schemas of a response of `getProof`, and of the proof for each deal in it. */
export function createProofSchemas({ hex, hash, pieceId, checksum, path, bytes }: PartChecks) {
  /** Hashes are lower-case hex. */
  const merklePath = z.looseObject({
    /** Position of the leaf, hex without `0x`. */
    index: hex,
    /** Sibling hashes on the path to the root, from the leaf on. */
    path,
  });
  const inclusion = z.looseObject({
    /** What is proved to be in the data of the deal. */
    verifierData: z.looseObject({
      /** Piece id of the file, hex. */
      commPc: pieceId,
      /** Padded size of the piece in bytes, hex without `0x`. */
      sizePc: hex,
    }),
    /** Two paths of a Merkle tree, which must lead to the same root. */
    inclusionProof: z.looseObject({
      /** From the index record to the root. */
      proofIndex: merklePath,
      /** From the piece to the root. */
      proofSubtree: merklePath,
    }),
    /** The record of the piece in the data of the deal. */
    indexRecord: z.looseObject({
      /** First 16 bytes of the record's own hash, hex. */
      checksum,
      /** Commitment of the piece. */
      proofIndex: hash,
      /** Offset of the piece in the deal, in bytes. */
      proofSubtree: bytes,
      /** Padded size of the piece in bytes. */
      size: bytes,
    }),
  });
  const response = z.looseObject({
    /** Piece id (CommP) of the data. */
    pieceCID: z.optional(z.string()),
    /** One for each deal. */
    dealInfo: z.array(
      z.looseObject({
        /** Id of the deal on the chain. */
        dealId: z.union([numberThat(Number.isFinite), z.string()]),
        /** The provider that stores the data. */
        storageProvider: z.string(),
        /** That the file is in the data of this deal. */
        proof: inclusion,
      }),
    ),
  });
  return { inclusion, response };
}
