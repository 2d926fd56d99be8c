import type { CallOptions, UploadReceipt } from "keeplight";
import {
  callSchema,
  exchange,
  invalidOption,
  isOptions,
  type OptionSchema,
  resolveOptions,
  wholeNumber,
} from "keeplight/parts";
import type { Order } from "./authorization.ts";
import type { Call, TextResponse } from "./call.ts";
import { ignoreAnyFailure } from "./errors.ts";
import { insist } from "./insist.ts";
import { type Paying, type PayPerUploadOptions, payingSchema, toNetwork } from "./options.ts";
import { type PaidRequest, payFor } from "./pay.ts";
import { checkId, readFields, readTime, requestRenewalPrice } from "./price.ts";
import { type Payment, readTerms } from "./terms.ts";

/** Options of {@link renewUpload}; `timeoutMs` is 60,000 by default. */
export type RenewUploadOptions = CallOptions & PayPerUploadOptions;

const DAY_MS = 86_400_000;

const schema = {
  ...callSchema,
  // The service responds only once the payment is settled.
  timeoutMs: wholeNumber(60_000, 1),
  ...payingSchema,
} satisfies OptionSchema<RenewUploadOptions>;

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
  const resolved = resolveOptions(schema, options);
  if (!isOptions(receipt)) throw invalidOption("receipt", "the receipt of an upload");
  const own = { ...receipt };
  const id = checkId(own.id);
  const { service, payer, chainId, expiresAt: until } = own;
  if (typeof until !== "number" || !(until > 0)) {
    throw invalidOption("receipt", "one with expiresAt, in milliseconds since 1970");
  }
  if (typeof service !== "string" || typeof payer !== "string" || typeof chainId !== "number") {
    throw invalidOption("receipt", "the receipt of an upload");
  }
  const paying = { ...resolved, network: toNetwork(resolved.network) };
  const { orderId = `renewal ${id} ${until}`, network } = paying;
  const order = { service, orderId, payer: payer.toLowerCase(), chainId, usdc: network.usdc.toLowerCase() };
  const run = (signal: AbortSignal | undefined) => renew(own, { id, until, order }, paying, { ...paying, signal });
  return insist(false, run, paying.signal);
}

async function renew(
  receipt: UploadReceipt,
  { id, until, order }: { id: string; until: number; order: Order },
  paying: Paying,
  call: Call,
): Promise<UploadReceipt> {
  const { signal, endpoints, timeoutMs } = call;
  /** The service's answer, or else its price, says until when the file is paid for. */
  let expiresAt: number | undefined;
  const setEnd = (end: number | null | undefined, leastMs = 1): boolean => {
    expiresAt = end ?? undefined;
    return expiresAt !== undefined && expiresAt >= until + leastMs;
  };
  // Of a file that was renewed after its end the service may say an end that is some seconds after that of its receipt.
  async function readEnd(): Promise<boolean> {
    const { expiresAt: end, days } = await requestRenewalPrice(id, call);
    return setEnd(end, Math.max(1, (days * DAY_MS) / 2));
  }
  const post = ({ headers, secrets }: Payment) => {
    const request = { base: endpoints.x402, path: "/api/renew", headers: { "x-file-id": id, ...headers } };
    return exchange({ method: "POST", ...request, secrets, signal, timeoutMs, once: true });
  };
  if (await readEnd()) return { ...receipt, ...(expiresAt === undefined ? {} : { expiresAt }) };
  const request: PaidRequest = {
    order,
    bytes: 0,
    quote: async () => readTerms(await post({ headers: {}, secrets: [] }), paying.network),
    send: post,
    isAccepted: (response) => setEnd(readEndOf(response)),
    isDone: async () => (await readEnd().catch(ignoreAnyFailure)) ?? false,
  };
  const { payment, amount } = await payFor(request, paying, call);
  return { ...payment, ...(amount === undefined ? {} : { amount }), id, ...(expiresAt ? { expiresAt } : {}) };
}

function readEndOf(response: TextResponse): number | undefined {
  try {
    return readTime(readFields(response)["expiresAt"]);
  } catch {
    return undefined;
  }
}
