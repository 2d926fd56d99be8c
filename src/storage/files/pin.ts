import * as z from "zod/mini";
import { invalidResponse } from "../../base/errors/transport.ts";
import { nonEmpty, type Operation, optional, resolveOptions } from "../../base/operation.ts";
import { type BearerOptions, bearerSchema } from "../../base/options.ts";
import { isObject } from "../../base/validation/schema.ts";
import { checkCid, isSameCid } from "../../formats/cid/content-id.ts";
import { requestApi } from "../../network/http/api-client.ts";

/** Options of {@link pinCid}. */
export interface PinOptions extends BearerOptions {
  /** Name of the file in the account's listing. @default the network's own */
  fileName?: string | undefined;
}

export const pinCidOperation = {
  options: { ...bearerSchema, fileName: optional(nonEmpty) },
} satisfies Operation<PinOptions>;

/** The API host's confirmation that content is pinned. It may have more fields, which are kept unchanged. */
export interface PinnedCid {
  /** The requested one. */
  cid: string;
  [field: string]: unknown;
}

const PATH = "/api/lighthouse/pin";

/**
 * Adds content that is already on IPFS to the account, without uploading it: the network keeps a copy, and the account's
 * listing has a file of it. Pinning an encrypted file does not share its key.
 *
 * @throws `INVALID_CID`, `INVALID_OPTION`, `MISSING_API_KEY`, `HTTP_STATUS` if the network refuses it, as for content that
 * it does not find; `INVALID_RESPONSE` if it confirms other content; what every request may throw
 *
 * @example
 * await pinCid(cid, { apiKey, fileName: "photo.jpg" });
 */
export async function pinCid(cid: string, options: PinOptions): Promise<PinnedCid> {
  const { fileName, ...call } = resolveOptions(pinCidOperation.options, options);
  cid = checkCid(cid);
  const response = await requestApi(call, {
    method: "POST",
    path: PATH,
    json: { cid, fileName },
    // The network documents no fields: the status is the confirmation.
    schema: z.unknown(),
    what: "confirmation that the content is pinned",
  });
  const fields = isObject(response) ? response : {};
  for (const { cid: pinned } of [fields, isObject(fields["data"]) ? fields["data"] : {}]) {
    if (typeof pinned !== "string" || pinned === "" || isSameCid(pinned, cid)) continue;
    throw invalidResponse({ method: "POST", url: PATH }, "The API host pinned other content");
  }
  return { ...fields, cid };
}
