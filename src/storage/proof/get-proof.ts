import * as v from "valibot";
import { LIST_RESPONSE_BYTES } from "../../base/config/limits.ts";
import { proofNotReady } from "../../base/errors/api-host.ts";
import { isKeeplightError } from "../../base/errors/base.ts";
import { type Operation, resolveOptions } from "../../base/operation.ts";
import { type CallOptions, callSchema } from "../../base/options.ts";
import { looseObject, numberThat, optional } from "../../base/validation/schema.ts";
import { checkCid } from "../../formats/cid/check-cid.ts";
import { requestApi } from "../../network/http/api-client.ts";

const number = numberThat(Number.isFinite);

/** Hashes are lower-case hex. */
const merklePath = looseObject({
  /** Position of the leaf, hex without `0x`. */
  index: v.string(),
  /** Sibling hashes on the path to the root, from the leaf on. */
  path: v.array(v.string()),
});

const inclusion = looseObject({
  /** What is proved to be in the data of the deal. */
  verifierData: looseObject({
    /** Piece id of the file, hex. */
    commPc: v.string(),
    /** Padded size of the piece in bytes, hex without `0x`. */
    sizePc: v.string(),
  }),
  /** Two paths of a Merkle tree, which must lead to the same root. */
  inclusionProof: looseObject({
    /** From the index record to the root. */
    proofIndex: merklePath,
    /** From the piece to the root. */
    proofSubtree: merklePath,
  }),
  /** The record of the piece in the data of the deal. */
  indexRecord: looseObject({
    /** First 16 bytes of the record's own hash, hex. */
    checksum: v.string(),
    /** Commitment of the piece. */
    proofIndex: v.string(),
    /** Offset of the piece in the deal, in bytes. */
    proofSubtree: number,
    /** Padded size of the piece in bytes. */
    size: number,
  }),
});

const proof = looseObject({
  /** Piece id (CommP) of the data. */
  pieceCID: optional(v.string()),
  /** One for each deal. */
  dealInfo: v.array(
    looseObject({
      /** Id of the deal on the chain. */
      dealId: v.union([number, v.string()]),
      /** The provider that stores the data. */
      storageProvider: v.string(),
      /** That the file is in the data of this deal. */
      proof: inclusion,
    }),
  ),
});

/** Proof that a file is in the data of storage deals (PoDSI, FRC-0058), in the network's format. */
export type Proof = v.InferOutput<typeof proof>;

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
