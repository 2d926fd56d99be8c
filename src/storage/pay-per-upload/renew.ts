import { invalidOption } from "../../base/errors/input.ts";
import {
  isOptions,
  type Operation,
  type OptionSchema,
  pickOptions,
  reference,
  resolveOptions,
  unchecked,
  wholeNumber,
} from "../../base/operation.ts";
import { type CallOptions, callSchema, type ResolvedCall } from "../../base/options.ts";
import { loadPayPerUpload } from "./load.ts";
import type { PayerLike, PayPerUploadOptions } from "./options.ts";
import { checkId } from "./price.ts";
import type { UploadReceipt } from "./types.ts";

/** Options of {@link renewUpload}; `timeoutMs` is 60,000 by default. */
export type RenewUploadOptions = CallOptions & PayPerUploadOptions;

const payingSchema = {
  signer: reference<PayerLike>(),
  maxAmount: unchecked<bigint | number>(),
  network: unchecked<PayPerUploadOptions["network"]>(),
  orderId: unchecked<string>(),
  waitMs: unchecked<number>(),
} satisfies OptionSchema<PayPerUploadOptions>;

/** The operation {@link renewUpload}; `options` checks its options. A kit's signer need not sign typed data. */
export const renewUploadOperation = {
  options: {
    ...callSchema,
    // The service responds only once the payment is settled.
    timeoutMs: wholeNumber(60_000, 1),
    ...payingSchema,
  } satisfies OptionSchema<RenewUploadOptions>,
  unbound: ["signer"],
} satisfies Operation<RenewUploadOptions>;

/**
 * Pays for another period of a file that was uploaded by `payPerUpload`, as its payer. The same receipt is renewed once: if
 * the file is paid for longer by now, the call returns the receipt with its new end, and pays nothing.
 *
 * @param receipt - of the upload, or of its latest renewal
 * @returns the receipt of the renewal
 * @throws `INVALID_OPTION`, `HTTP_STATUS` (404 for an unknown file, 403 for another payer), `PAYMENT_ABOVE_LIMIT`,
 * `INSUFFICIENT_FUNDS`, `UNEXPECTED_PAYMENT`, `SIGNATURE_REJECTED`, `INVALID_RESPONSE`, what every request may throw; once
 * something was signed as an `UnfinishedError` whose `resume()` does the same again, also `PAYMENT_NOT_TAKEN`, `PAID_NOT_STORED`
 *
 * @example
 * const renewed = await renewUpload(receipt, { signer, maxAmount: 100_000 });
 * console.log(new Date(renewed.expiresAt ?? 0));
 */
export async function renewUpload(receipt: UploadReceipt, options: RenewUploadOptions): Promise<UploadReceipt> {
  const resolved = resolveOptions(renewUploadOperation.options, options);
  const call: ResolvedCall = resolveOptions(callSchema, pickOptions(resolved, callSchema));
  const { signer, maxAmount, network, orderId, waitMs } = resolved;
  if (!isOptions(receipt)) throw invalidOption("receipt", "the receipt of an upload");
  const own = { ...receipt };
  checkId(own.id);
  if (typeof own.expiresAt !== "number" || !(own.expiresAt > 0)) {
    throw invalidOption("receipt", "one with expiresAt, in milliseconds since 1970");
  }
  const { checkPaying, renew } = await loadPayPerUpload();
  return renew(own, checkPaying({ signer, maxAmount, network, orderId, waitMs }, ""), call);
}
