import { LIST_RESPONSE_BYTES } from "../../base/config/limits.ts";
import { isKeeplightError } from "../../base/errors/base.ts";
import { proofNotReady } from "../../base/errors/content.ts";
import { type Operation, resolveOptions } from "../../base/operation.ts";
import { type CallOptions, callSchema } from "../../base/options.ts";
import { checkCid } from "../../formats/cid/content-id.ts";
import { requestApi } from "../../network/http/api-client.ts";
import { type Proof, proofSchema } from "./read-proof.ts";

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
      schema: proofSchema,
      what: "proof",
    });
  } catch (error) {
    throw isKeeplightError(error, "HTTP_STATUS") && error.details.status === 400 ? proofNotReady(error) : error;
  }
}
