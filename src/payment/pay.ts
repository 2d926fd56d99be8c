import type { PaymentNetwork, PaymentToken } from "../config/networks.ts";
import { invalidOption } from "../errors/input.ts";
import { aboveLimit, missingPrivateKey, missingToken } from "../errors/payment-input.ts";
import { callOptionNames, resolveCall } from "../options.ts";
import { checkOptions, pickOptions } from "../validation/check-options.ts";
import { networkOptionNames, resolveNetwork, resolveToken } from "./chain/network.ts";
import { checkMaxFee, checkRpc, checkSigner, resolveWait, waitOptionNames } from "./pay-options.ts";
import { computePrice, rateOptionNames } from "./price.ts";
import type { Order, Payment, PayOptions } from "./types.ts";
import type { PaymentSigner } from "./wallet/signer.ts";

const payOptionNames = [
  callOptionNames,
  networkOptionNames,
  waitOptionNames,
  rateOptionNames,
  "signer,privateKey,amount,size,token,rpc,maxAmount,maxFee",
] as const;

/**
 * Pays for storage: with a token through its `approve` and the contract's `receiveToken`, with the chain's own coin
 * through a transfer. Before it signs anything, it checks that node and wallet are on the right chain, that the
 * contract is a payment contract and accepts the token, that network fees are within `maxFee`, and that the balance
 * covers amount and gas. Payments of one account in one process run one after the other.
 *
 * @throws before anything is signed: `UNSUPPORTED_NETWORK` 'Unsupported Network!!!', `MISSING_TOKEN`
 * 'Token not provided!!!', `MISSING_PRIVATE_KEY` 'Private Key not found!!!', `INVALID_OPTION`, `TOKEN_NOT_SUPPORTED`,
 * `TICKER_FAILED`, `PAYMENT_ABOVE_LIMIT`, `WRONG_CHAIN`, `WRONG_CONTRACT`, `FEE_TOO_HIGH`, `INSUFFICIENT_FUNDS`,
 * `PAYMENT_REVERTED`, `PAYMENT_UNDERPAID`, `PAYMENT_REJECTED`, `RPC_REFUSED`, `INVALID_RESPONSE` and what every request
 * may throw. Once a transaction is signed, an {@link UnfinishedPayment} with one of these codes or `PAYMENT_DROPPED`,
 * `PAYMENT_REPLACED`, `PAYMENT_REORGANISED`, `PAYMENT_TIMEOUT`, `PAYMENT_UNKNOWN`, `APPROVAL_FAILED`. Once the
 * transaction is mined and nothing is left to resume: `PAYMENT_REVERTED`, `PAYMENT_UNDERPAID` with `details.hash`
 *
 * @example
 * const { hash, event } = await payWithToken({ network: "polygon", token: "usdc", size: 5_000_000, signer });
 */
export async function payWithToken(options: PayOptions): Promise<Payment> {
  checkOptions(options, payOptionNames);
  // A copy: a later quote must not see changes that the caller makes to its object.
  const requested: Partial<PayOptions> = { ...options };
  const call = resolveCall(requested);
  const network = resolveNetwork(requested.network);
  const { token } = requested;
  const tokenContract = resolveToken(network, token);
  if (token === undefined) throw missingToken();
  const payer = checkPayer(requested);
  const rpc = checkRpc(requested.rpc);
  const waiting = resolveWait(requested);
  const maxFee = checkMaxFee(requested.maxFee);
  const maxAmount = requested.maxAmount === undefined ? undefined : checkAmount("maxAmount", requested.maxAmount);
  const quoteAmount = async (): Promise<bigint> => {
    const amount = await resolveAmount(requested, network, token);
    if (maxAmount !== undefined && amount > maxAmount) throw aboveLimit(amount, maxAmount);
    return amount;
  };
  const priced = requested.amount === undefined;
  const order: Order = { network, token, tokenContract, priced, quoteAmount, quotedAt: performance.now(), amount: 0n };
  order.amount = await quoteAmount();
  const { startPayment } = await import("./run/payment-runner.ts");
  return startPayment(order, { ...payer, ...waiting, rpc, maxFee, signal: call.signal, timeoutMs: call.timeoutMs });
}

function checkPayer({ privateKey, signer }: Partial<PayOptions>): { privateKey?: string; signer?: PaymentSigner } {
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

function checkAmount(option: string, value: unknown): bigint {
  const amount = typeof value === "bigint" || Number.isSafeInteger(value) ? BigInt(value as bigint | number) : 0n;
  if (amount < 1n || amount >= 1n << 256n) throw invalidOption(option, "a whole number of the token's smallest unit");
  return amount;
}
