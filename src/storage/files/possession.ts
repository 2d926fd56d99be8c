import { invalidResponse } from "../../base/errors/transport.ts";
import { type Operation, resolveOptions } from "../../base/operation.ts";
import { type BearerOptions, bearerSchema, type CallOptions, callSchema } from "../../base/options.ts";
import { arrayOfRows, optional, requiredText, rowWith, text } from "../../base/validation/schema.ts";
import { checkCid } from "../../formats/cid/content-id.ts";
import { requestApi } from "../../network/http/api-client.ts";
import { exchange } from "../../network/http/client.ts";
import { assertSuccess } from "../../network/http/response.ts";

/** A proof of possession (PDP) of a file, as the network reports it. Fields that are not listed here are kept unchanged. */
export interface PossessionProof {
  /** The network's own text, such as `completed`. Empty if the network sends none. */
  dealStatus: string;
  /** When it was requested, as the network writes it; `null` if it sends no text, as for the other fields. */
  createdAt?: string | null | undefined;
  /** When it has changed. */
  updatedAt?: string | null | undefined;
  /** Where the proof is on its chain: `RootCID`, `DownloadURL`, `TXHash`. */
  transactionDetails?: unknown;
  [field: string]: unknown;
}

const proofs = arrayOfRows(
  rowWith<PossessionProof>({
    dealStatus: requiredText,
    createdAt: optional(text),
    updatedAt: optional(text),
    transactionDetails: (value) => value,
  }),
);

export const requestPossessionProofOperation = { options: bearerSchema } satisfies Operation<BearerOptions>;

/**
 * Requests a proof of possession of a file of the account, which is there after some twenty minutes, for files up to
 * 100 MB. The network documents it for a test network (Calibration).
 *
 * @throws `INVALID_CID`, `MISSING_API_KEY`, `HTTP_STATUS` if the network refuses it, `INVALID_RESPONSE`; what every
 * request may throw
 *
 * @example
 * await requestPossessionProof(cid, { apiKey });
 */
export async function requestPossessionProof(cid: string, options: BearerOptions): Promise<void> {
  const { apiKey: bearer, signal, timeoutMs, endpoints } = resolveOptions(bearerSchema, options);
  const query = { cid: checkCid(cid) };
  const request = {
    method: "GET",
    base: endpoints.api,
    path: "/api/lighthouse/pdp_deal_request",
    query,
    bearer,
  } as const;
  const response = await exchange({ ...request, signal, timeoutMs, once: true, retries: false });
  assertSuccess(response, "request");
  // Sources differ in whether it is JSON.
  if (!/^\s*"?success/i.test(response.text)) throw invalidResponse(response.facts, "The API host confirmed no request");
}

export const listPossessionProofsOperation = { options: callSchema } satisfies Operation<CallOptions>;

/**
 * Lists the proofs of possession of a file. Nothing is verified: the network names the transactions.
 *
 * @throws `INVALID_CID`, `HTTP_STATUS`, `INVALID_RESPONSE`; what every request may throw
 *
 * @example
 * const [proof] = await listPossessionProofs(cid);
 */
export async function listPossessionProofs(cid: string, options: CallOptions = {}): Promise<PossessionProof[]> {
  const call = resolveOptions(callSchema, options);
  return requestApi(call, {
    method: "GET",
    path: "/api/lighthouse/pdp_deal_status",
    query: { cid: checkCid(cid) },
    schema: proofs,
    what: "list of proofs",
  });
}
