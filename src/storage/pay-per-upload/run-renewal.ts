import { invalidOption } from "../../base/errors/input.ts";
import type { ResolvedCall } from "../../base/options.ts";
import { parseJson } from "../../base/validation/parse-json.ts";
import { exchange } from "../../network/http/client.ts";
import type { Order } from "./authorization.ts";
import { ignoreAnyFailure } from "./chain.ts";
import { insist } from "./insist.ts";
import type { Paying } from "./options.ts";
import { payFor } from "./pay.ts";
import { readTime, requestRenewalPrice } from "./request-price.ts";
import { type Payment, readTerms } from "./terms.ts";
import type { UploadReceipt } from "./types.ts";

/** Implements `renewUpload`. */
export async function renew(receipt: UploadReceipt, paying: Paying, call: ResolvedCall): Promise<UploadReceipt> {
  const { id = "", expiresAt: until = 0, service, payer, chainId } = receipt;
  if (typeof service !== "string" || typeof payer !== "string" || typeof chainId !== "number") {
    throw invalidOption("receipt", "the receipt of an upload");
  }
  const orderId = paying.orderId ?? `renewal ${id} ${until}`;
  const order = { service, orderId, payer: payer.toLowerCase(), chainId, usdc: paying.network.usdc.toLowerCase() };
  return insist(false, (signal) => renewOrder(receipt, { id, until, order }, paying, { ...call, signal }), call.signal);
}

async function renewOrder(
  receipt: UploadReceipt,
  { id, until, order }: { id: string; until: number; order: Order },
  paying: Paying,
  call: ResolvedCall,
): Promise<UploadReceipt> {
  const { signal, endpoints, timeoutMs } = call;
  /** The service's answer, or else its price, says until when the file is paid for. */
  let expiresAt: number | undefined;
  const setEnd = (end: number | null | undefined): boolean => {
    expiresAt = end ?? undefined;
    return expiresAt !== undefined && expiresAt > until;
  };
  const readEnd = async () => setEnd((await requestRenewalPrice(id, call)).expiresAt);
  const post = ({ headers, secrets }: Payment) => {
    const request = { base: endpoints.x402, path: "/api/renew", headers: { "x-file-id": id, ...headers } };
    return exchange({ method: "POST", ...request, secrets, signal, timeoutMs, once: true });
  };
  if (await readEnd()) return { ...receipt, ...(expiresAt === undefined ? {} : { expiresAt }) };
  const request = {
    order,
    bytes: 0,
    quote: async () => readTerms(await post({ headers: {}, secrets: [] }), paying.network),
    send: post,
    isAccepted: ({ text }: { text: string }) => setEnd(readEndOf(text)),
    isDone: async () => (await readEnd().catch(ignoreAnyFailure)) ?? false,
  };
  const { payment, amount } = await payFor(request, paying, call);
  return { ...payment, ...(amount === undefined ? {} : { amount }), id, ...(expiresAt ? { expiresAt } : {}) };
}

function readEndOf(text: string): number | undefined {
  try {
    return readTime((parseJson(text) as { expiresAt?: unknown } | null)?.expiresAt);
  } catch {
    return undefined;
  }
}
