import * as z from "zod/mini";
import { LIST_RESPONSE_BYTES } from "../../base/config/limits.ts";
import { isKeeplightError } from "../../base/errors/base.ts";
import { proofNotReady } from "../../base/errors/content.ts";
import { type Operation, resolveOptions } from "../../base/operation.ts";
import { type CallOptions, callSchema } from "../../base/options.ts";
import { numberThat } from "../../base/validation/schema.ts";
import { checkCid } from "../../formats/cid/content-id.ts";
import { requestApi } from "../../network/http/api-client.ts";

const number = numberThat(Number.isFinite);

/** Hashes are lower-case hex. */
const merklePath = z.looseObject({
  /** Position of the leaf, hex without `0x`. */
  index: z.string(),
  /** Sibling hashes on the path to the root, from the leaf on. */
  path: z.array(z.string()),
});

const inclusion = z.looseObject({
  /** What is proved to be in the data of the deal. */
  verifierData: z.looseObject({
    /** Piece id of the file, hex. */
    commPc: z.string(),
    /** Padded size of the piece in bytes, hex without `0x`. */
    sizePc: z.string(),
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
    checksum: z.string(),
    /** Commitment of the piece. */
    proofIndex: z.string(),
    /** Offset of the piece in the deal, in bytes. */
    proofSubtree: number,
    /** Padded size of the piece in bytes. */
    size: number,
  }),
});

const proof = z.looseObject({
  /** Piece id (CommP) of the data. */
  pieceCID: z.optional(z.string()),
  /** One for each deal. */
  dealInfo: z.array(
    z.looseObject({
      /** Id of the deal on the chain. */
      dealId: z.union([number, z.string()]),
      /** The provider that stores the data. */
      storageProvider: z.string(),
      /** That the file is in the data of this deal. */
      proof: inclusion,
    }),
  ),
});

/** Proof that a file is in the data of storage deals (PoDSI, FRC-0058), in the network's format. */
export type Proof = z.infer<typeof proof>;

export const getProofOperation = { options: callSchema } satisfies Operation<CallOptions>;

/**
 * Requests the proof that storage deals hold a file. There is none until the file is in a deal, some time after its
 * upload.
 *
 * @throws `INVALID_CID`; `PROOF_NOT_READY` until there is one; `HTTP_STATUS`, `INVALID_RESPONSE`; what every
 * request may throw
 *
 * @example
 * const { pieceCID, dealInfo } = await getProof(cid);
 */
export async function getProof(cid: string, options: CallOptions = {}): Promise<Proof> {
  const call = resolveOptions(callSchema, options);
  cid = checkCid(cid);
  try {
    return await requestApi(call, {
      method: "GET",
      path: "/api/lighthouse/get_proof",
      query: { cid },
      maxBytes: LIST_RESPONSE_BYTES,
      schema: proof,
      what: "proof",
    });
  } catch (error) {
    throw isKeeplightError(error, "HTTP_STATUS") && error.details.status === 400 ? proofNotReady(error) : error;
  }
}
