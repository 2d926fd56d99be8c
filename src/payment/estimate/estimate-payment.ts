import { callOptionNames } from "../../options.ts";
import { copyOptions, fromNames } from "../../validation/check-options.ts";
import type { EstimateOptions, PaymentEstimate } from "./types.ts";

export const estimatePaymentOperation = { options: fromNames(callOptionNames), at: 0 };

/**
 * Estimates what `payWithToken` would cost with the same options: the amount, each transaction with its gas and network
 * fee, and all of it in US dollars. Opens no window, signs nothing, and also works for an address that cannot pay yet.
 *
 * @throws `UNSUPPORTED_NETWORK` 'Unsupported Network!!!', `MISSING_TOKEN` 'Token not provided!!!', `INVALID_OPTION`,
 * `INVALID_ADDRESS` (also for a wallet that has shown no account yet), `TOKEN_NOT_SUPPORTED`, `TICKER_FAILED` for a
 * `size` in the chain's own coin, `WRONG_CHAIN`, `WRONG_CONTRACT`, `PAYMENT_REVERTED`, `PAYMENT_UNDERPAID`,
 * `RPC_REFUSED`, `INVALID_RESPONSE` and what every request may throw
 *
 * @example
 * const { usd, isAffordable } = await estimatePayment({ network: "polygon", token: "usdc", size: 5_000_000, address });
 */
export async function estimatePayment(options: EstimateOptions): Promise<PaymentEstimate> {
  const requested = copyOptions(options);
  const { computeEstimate } = await import("../chain-on-demand.ts");
  return computeEstimate(requested);
}
