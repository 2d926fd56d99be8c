import { invalidOption } from "../../base/errors/input.ts";
import { isOptions, type Operation, resolveOptions } from "../../base/operation.ts";
import { type CallOptions, callSchema } from "../../base/options.ts";
import { loadPayPerUpload } from "./load.ts";
import type { UploadPrice } from "./types.ts";

export const getUploadPriceOperation = { options: callSchema } satisfies Operation<CallOptions>;

/**
 * Returns what it costs to upload one file by `payPerUpload`, or to renew one. The service may request another price when it
 * is paid, up to `maxAmount`.
 *
 * @param subject - bytes of the file, of an encrypted one those that are stored; or the `id` in the receipt of an upload
 * @throws `INVALID_OPTION`, `FILE_TOO_LARGE`, `HTTP_STATUS` (404 for an unknown id), `INVALID_RESPONSE`; what every request may
 * throw
 *
 * @example
 * const { amount } = await getUploadPrice(5_000_000);
 * const [file] = await upload("./photo.jpg", { payPerUpload: { signer, maxAmount: amount } });
 */
export async function getUploadPrice(
  subject: number | { id: string },
  options: CallOptions = {},
): Promise<UploadPrice> {
  const call = resolveOptions(callSchema, options);
  if (isOptions(subject)) {
    const id = checkId((subject as { id?: unknown }).id);
    return (await loadPayPerUpload()).requestRenewalPrice(id, call);
  }
  if (!Number.isSafeInteger(subject) || Number(subject) < 1) {
    throw invalidOption("subject", "the bytes of a file, from 1 on, or { id }");
  }
  return (await loadPayPerUpload()).requestUploadPrice(Number(subject), "The file", call);
}

/** A file's id, as a header can carry it. */
export function checkId(id: unknown): string {
  if (typeof id === "string" && /^[\x21-\x7e]{1,200}$/.test(id)) return id;
  throw invalidOption("id", "the id in the receipt of an upload");
}
