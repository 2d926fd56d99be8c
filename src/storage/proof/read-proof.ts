import * as z from "zod/mini";
import { proofInvalid } from "../../base/errors/content.ts";
import { numberThat, textLike, wholeFrom } from "../../base/validation/schema.ts";

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

/** CID version 1, `fil-commitment-unsealed`, `sha2-256-trunc254-padded`, 32 bytes: the prefix of every piece id. */
export const PIECE_PREFIX = "0181e203922020";

const hash = textLike(/^[0-9a-f]{64}$/);
const number = textLike(/^[0-9a-f]{1,16}$/);
const bytes = wholeFrom(0);
const merklePath = z.looseObject({
  index: number,
  path: z.array(hash).check(z.refine((path) => path.length <= 63)),
});

const inclusion = z.looseObject({
  verifierData: z.looseObject({
    commPc: textLike(new RegExp(`^${PIECE_PREFIX}[0-9a-f]{64}$`)),
    sizePc: number,
  }),
  inclusionProof: z.looseObject({ proofIndex: merklePath, proofSubtree: merklePath }),
  indexRecord: z.looseObject({
    checksum: textLike(/^[0-9a-f]{32}$/),
    proofIndex: hash,
    proofSubtree: bytes,
    size: bytes,
  }),
});

const response = z.looseObject({
  pieceCID: z.optional(z.string()),
  dealInfo: z
    .array(
      z.looseObject({
        dealId: z.union([numberThat(Number.isFinite), z.string()]),
        storageProvider: z.string(),
        proof: inclusion,
      }),
    )
    .check(z.refine((deals) => deals.length > 0)),
});

/**
 * Parses a proof or a whole response and checks the form of each part, not yet their relations.
 *
 * @throws `PROOF_INVALID`; `details.field` is the malformed part
 */
export function readProof(proof: unknown): ProofResponse | InclusionProof {
  const isResponse = typeof proof === "object" && proof !== null && "dealInfo" in proof;
  const read = isResponse ? z.safeParse(response, proof) : z.safeParse(inclusion, proof);
  if (read.success) return read.data;
  const field = read.error.issues[0]?.path.join(".") ?? "";
  throw proofInvalid(`${field || "it"} is malformed`, { field });
}
