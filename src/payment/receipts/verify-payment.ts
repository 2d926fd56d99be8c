import { callOptionNames } from "../../options.ts";
import { copyOptions, fromNames } from "../../validation/check-options.ts";
import type { PaymentReceipt, VerifyPaymentOptions } from "./types.ts";

export const verifyPaymentOperation = { options: fromNames(callOptionNames) };

/**
 * Verifies that a transaction paid: for a server that is told its hash. What counts is the payment contract's event, with
 * its sender, token and amount, and that the token was transferred; coins also count if the payer sent them to the contract
 * and it emitted no event. Does not wait.
 *
 * One transaction can hold several payments, and the same one can be reported twice: credit each `id` once.
 *
 * @param hash - of the transaction that paid
 * @throws `PAYMENT_NOT_FOUND` if the chain does not have it, `PAYMENT_UNCONFIRMED` if too few blocks confirm it,
 * `PAYMENT_REVERTED`, `PAYMENT_MISMATCH` if it pays another contract, in another token or by another account,
 * `PAYMENT_UNDERPAID`, `PAYMENT_REORGANISED` if its block is no longer in the chain, `WRONG_CHAIN`; `INVALID_OPTION`,
 * `INVALID_ADDRESS`, `UNSUPPORTED_NETWORK`, `TOKEN_NOT_SUPPORTED`; `RPC_REFUSED`, `INVALID_RESPONSE` and what every
 * request may throw
 *
 * @example
 * const { id, amount } = await verifyPayment(hash, { network: "polygon", token: "usdc", sender, amount: 5_000_000n });
 */
export async function verifyPayment(hash: string, options: VerifyPaymentOptions): Promise<PaymentReceipt> {
  const requested = copyOptions(options);
  const { checkPayment } = await import("../chain-on-demand.ts");
  return checkPayment(hash, requested);
}
