import * as z from "zod/mini";
import { LIST_RESPONSE_BYTES } from "../../base/config/limits.ts";
import { isKeeplightError } from "../../base/errors/base.ts";
import { proofNotReady } from "../../base/errors/content.ts";
import { type Operation, resolveOptions } from "../../base/operation.ts";
import { type CallOptions, callSchema } from "../../base/options.ts";
import { numberThat } from "../../base/validation/schema.ts";
import { checkCid } from "../../formats/cid/content-id.ts";
import { requestApi } from "../../network/http/api-client.ts";
import { createProofSchemas, type Proof } from "./read-proof.ts";

const { response: proof } = createProofSchemas({
  text: () => z.string(),
  bytes: numberThat(Number.isFinite),
  maxPath: Number.POSITIVE_INFINITY,
});

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
