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

/** Data of the network, which may have more fields than are described. */
type Loose<Data> = Data extends readonly (infer Item)[]
  ? Loose<Item>[]
  : Data extends object
    ? { [Field in keyof Data]: Loose<Data[Field]> } & { [field: string]: unknown }
    : Data;

/** Proof that a file is in the data of storage deals (PoDSI, FRC-0058), in the network's format. */
export type Proof = Loose<ProofResponse>;

const finite = numberThat(Number.isFinite);
const merklePath = z.looseObject({ index: z.string(), path: z.array(z.string()) });

/** The parts of a response, whose forms are checked when it is verified. */
export const proofSchema = z.looseObject({
  pieceCID: z.optional(z.string()),
  dealInfo: z.array(
    z.looseObject({
      dealId: z.union([finite, z.string()]),
      storageProvider: z.string(),
      proof: z.looseObject({
        verifierData: z.looseObject({ commPc: z.string(), sizePc: z.string() }),
        inclusionProof: z.looseObject({ proofIndex: merklePath, proofSubtree: merklePath }),
        indexRecord: z.looseObject({
          checksum: z.string(),
          proofIndex: z.string(),
          proofSubtree: finite,
          size: finite,
        }),
      }),
    }),
  ),
});
