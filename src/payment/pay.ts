import { journalOptionNames } from "../journal/handle.ts";
import { callOptionNames } from "../options.ts";
import { checkOptions, fromNames } from "../validation/check-options.ts";
import { networkOptionNames, rateOptionNames, walletOptionNames } from "./price-options.ts";
import type { Payment, PayOptions } from "./types.ts";

const payOptionNames = [
  callOptionNames,
  networkOptionNames,
  rateOptionNames,
  journalOptionNames,
  "signer,privateKey,amount,size,token,rpc,maxAmount,maxFee,confirmations,waitMs,missingMs,pollMs,onProgress,orderId,mark",
  walletOptionNames,
] as const;

export const payWithTokenOperation = { options: fromNames([callOptionNames, journalOptionNames]), at: 0 };

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
 * `PAYMENT_REPLACED`, `PAYMENT_CANCELLED`, `PAYMENT_REORGANISED`, `PAYMENT_TIMEOUT`, `PAYMENT_UNKNOWN`,
 * `PAYMENT_MISMATCH`, `APPROVAL_FAILED`. Once the transaction is mined and nothing is left to resume: `PAYMENT_REVERTED`,
 * `PAYMENT_UNDERPAID` with `details.hash`
 *
 * @example
 * const { hash, event } = await payWithToken({ network: "polygon", token: "usdc", size: 5_000_000, signer });
 */
export async function payWithToken(options: PayOptions): Promise<Payment> {
  options = checkOptions(options, payOptionNames);
  const { placeOrder } = await import("./on-demand.ts");
  return placeOrder(options);
}
