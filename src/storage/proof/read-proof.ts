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

/** CID version 1, `fil-commitment-unsealed`, `sha2-256-trunc254-padded`, 32 bytes: the prefix of every piece id. */
export const PIECE_PREFIX = "0181e203922020";

/** How strictly the parts of a proof are checked. */
interface PartChecks {
  /** Checks a string that should have a form. */
  text: (form: RegExp) => z.ZodMiniType<string>;
  /** Checks a number of bytes. */
  bytes: z.ZodMiniType<number>;
  /** Most hashes of a path. */
  maxPath: number;
}

/** The schemas of a response of `getProof`, and of the proof for each deal in it. */
export function createProofSchemas({ text, bytes, maxPath }: PartChecks) {
  const hex = text(/^[0-9a-f]{1,16}$/);
  const hash = text(/^[0-9a-f]{64}$/);
  const merklePath = z.looseObject({
    index: hex,
    path: z.array(hash).check(z.refine((path) => path.length <= maxPath)),
  });
  const inclusion = z.looseObject({
    verifierData: z.looseObject({ commPc: text(new RegExp(`^${PIECE_PREFIX}[0-9a-f]{64}$`)), sizePc: hex }),
    inclusionProof: z.looseObject({ proofIndex: merklePath, proofSubtree: merklePath }),
    indexRecord: z.looseObject({
      checksum: text(/^[0-9a-f]{32}$/),
      proofIndex: hash,
      proofSubtree: bytes,
      size: bytes,
    }),
  });
  const dealId = z.union([numberThat(Number.isFinite), z.string()]);
  const deal = z.looseObject({ dealId, storageProvider: z.string(), proof: inclusion });
  const response = z.looseObject({ pieceCID: z.optional(z.string()), dealInfo: z.array(deal) });
  return { inclusion, response };
}
