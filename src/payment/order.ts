import type { PaymentNetwork, PaymentToken } from "../config/networks.ts";
import { invalidOption } from "../errors/input.ts";
import { aboveLimit, missingPrivateKey, missingToken } from "../errors/payment-input.ts";
import { getEntries, type JournalLike } from "../journal/handle.ts";
import { callOptionNames, resolveCall } from "../options.ts";
import { checkBoolean } from "../validation/boolean.ts";
import { pickOptions } from "../validation/check-options.ts";
import { checkText } from "../validation/text.ts";
import { resolveLiveNetwork, resolveToken } from "./chain/network.ts";
import { checkMaxFee, checkRpc, checkSigner, checkWalletOptions, resolveWait } from "./pay-options.ts";
import { computePrice } from "./price.ts";
import { rateOptionNames } from "./price-options.ts";
import type { FailedPayment, Order, Payment, PayOptions, ResumedPayment, ResumePaymentsOptions } from "./types.ts";
import type { PaymentSigner } from "./wallet/signer.ts";

/**
 * Checks the options of a payment and makes it.
 *
 * @throws what `payWithToken` throws
 */
export async function placeOrder(requested: Partial<PayOptions>): Promise<Payment> {
  const call = resolveCall(requested);
  const order = prepareOrder(requested);
  const payer = checkPayer(requested);
  const { journal } = requested;
  const orderId = requested.orderId === undefined ? undefined : checkText("orderId", requested.orderId);
  if (journal !== undefined) getEntries(journal);
  const rpc = checkRpc(requested.rpc);
  const waiting = resolveWait(requested);
  const maxFee = checkMaxFee(requested.maxFee);
  const { switchChain = true } = checkWalletOptions(requested);
  order.mark = await resolveMark(requested.mark, orderId, order);
  order.amount = await order.quoteAmount();
  const { startPayment } = await import("./run/payment-runner.ts");
  const { signal, timeoutMs } = call;
  return startPayment(
    order,
    { orderId, journal },
    { ...payer, ...waiting, rpc, maxFee, switchChain, signal, timeoutMs },
  );
}

/** Returns what marks the payments of an order, as hex, if it was requested. */
async function resolveMark(mark: unknown, orderId: string | undefined, { tokenContract }: Order) {
  checkBoolean("mark", mark);
  if (mark !== true) return undefined;
  if (orderId === undefined) throw invalidOption("orderId", "an id, which the mark is made of");
  if (!tokenContract) throw invalidOption("mark", "false for the chain's own coin");
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(orderId));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * Checks what a payment is for. Its amount is yet to be quoted.
 *
 * @throws `UNSUPPORTED_NETWORK`, `MISSING_TOKEN`, `TOKEN_NOT_SUPPORTED`, `INVALID_OPTION`
 */
export function prepareOrder(requested: Partial<PayOptions>): Order {
  const network = resolveLiveNetwork(requested.network);
  const { token } = requested;
  const tokenContract = resolveToken(network, token);
  if (token === undefined) throw missingToken();
  const maxAmount = requested.maxAmount === undefined ? undefined : checkAmount("maxAmount", requested.maxAmount);
  const quoteAmount = async (): Promise<bigint> => {
    const amount = await resolveAmount(requested, network, token);
    if (maxAmount !== undefined && amount > maxAmount) throw aboveLimit(amount, maxAmount);
    return amount;
  };
  const size = requested.amount === undefined ? String(requested.size) : undefined;
  return { network, token, tokenContract, size, quoteAmount, quotedAt: performance.now(), amount: 0n };
}

/** Implements `resumePayments`. */
export async function continueOrders(
  journal: JournalLike,
  requested: ResumePaymentsOptions,
): Promise<(ResumedPayment | FailedPayment)[]> {
  const { signal, timeoutMs } = resolveCall(requested);
  const payer = checkPayer(requested);
  const waiting = resolveWait(requested);
  const rpc = checkRpc(requested.rpc);
  const maxFee = checkMaxFee(requested.maxFee);
  const { switchChain = true } = checkWalletOptions(requested);
  const ids = requested.ids === undefined ? undefined : checkIds(requested.ids);
  getEntries(journal);
  const { continuePayments } = await import("./run/payment-runner.ts");
  return continuePayments(journal, ids, { ...payer, ...waiting, rpc, maxFee, switchChain, signal, timeoutMs });
}

function checkIds(ids: unknown): readonly string[] {
  if (Array.isArray(ids) && ids.every((id) => typeof id === "string")) return [...ids];
  throw invalidOption("ids", "a list of ids of operations");
}

function checkPayer({ privateKey, signer }: Pick<Partial<PayOptions>, "privateKey" | "signer">): {
  privateKey?: string;
  signer?: PaymentSigner;
} {
  if (privateKey !== undefined && privateKey !== "") {
    if (typeof privateKey === "string" && /^(0x)?[0-9a-fA-F]{64}$/.test(privateKey)) return { privateKey };
    throw invalidOption("privateKey", "64 hex characters");
  }
  if (signer === undefined) throw missingPrivateKey();
  return { signer: checkSigner(signer) };
}

async function resolveAmount(
  options: Partial<PayOptions>,
  network: PaymentNetwork,
  token: PaymentToken,
): Promise<bigint> {
  const { amount, size } = options;
  if ((amount === undefined) === (size === undefined)) throw invalidOption("amount", "an amount or else a size");
  if (amount !== undefined) return checkAmount("amount", amount);
  if (size === undefined) throw invalidOption("size", "a number of bytes");
  const priceOptions = pickOptions(options, [callOptionNames, rateOptionNames]);
  const { amount: price } = await computePrice(size, { ...priceOptions, network, token });
  return checkAmount("amount", price);
}

/** Checks an amount; throws `INVALID_OPTION`. */
export function checkAmount(option: string, value: unknown): bigint {
  const amount = typeof value === "bigint" || Number.isSafeInteger(value) ? BigInt(value as bigint | number) : 0n;
  if (amount < 1n || amount >= 1n << 256n) throw invalidOption(option, "a whole number of the token's smallest unit");
  return amount;
}
