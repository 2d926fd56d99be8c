import * as z from "zod/mini";
import { LIST_RESPONSE_BYTES } from "../../base/config/limits.ts";
import { isKeeplightError } from "../../base/errors/base.ts";
import { proofNotReady } from "../../base/errors/content.ts";
import { invalidResponse } from "../../base/errors/transport.ts";
import { type Operation, resolveOptions } from "../../base/operation.ts";
import { type BearerOptions, bearerSchema, type CallOptions, callSchema } from "../../base/options.ts";
import { arrayOfRows, numberThat, optional, requiredText, rowWith, text } from "../../base/validation/schema.ts";
import { checkCid } from "../../formats/cid/content-id.ts";
import { requestApi } from "../../network/http/api-client.ts";
import { exchange } from "../../network/http/client.ts";
import { assertSuccess } from "../../network/http/response.ts";

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
