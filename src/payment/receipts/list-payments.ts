import { callOptionNames } from "../../options.ts";
import { copyOptions, fromNames } from "../../validation/check-options.ts";
import type { ListPaymentsOptions, PaymentReceipt } from "./types.ts";

export const listPaymentsOperation = { options: fromNames(callOptionNames) };

/**
 * Lists what an address has paid, oldest first: each receipt is as `verifyPayment` returns it. Payments are found by the
 * payment contract's events; coins that a contract took without an event are not listed. Nodes limit how many blocks they
 * search at once: fewer are requested until the node accepts.
 *
 * If it fails, `details.payments` of the {@link UnfinishedPaymentList} has what was found in all blocks before
 * `details.fromBlock`, and `resume()` continues there.
 *
 * @param address - of the account that paid: the payments' `sender`
 * @throws `INVALID_OPTION`, `INVALID_ADDRESS`, `UNSUPPORTED_NETWORK`; `WRONG_CHAIN`, `PAYMENT_REORGANISED`,
 * `RPC_REFUSED`, `INVALID_RESPONSE` and what every request may throw, once a search has started as an
 * {@link UnfinishedPaymentList}
 *
 * @example
 * const payments = await listPayments(address, { network: "polygon", fromBlock: 78_000_000 });
 */
export async function listPayments(address: string, options: ListPaymentsOptions): Promise<PaymentReceipt[]> {
  const requested = copyOptions(options);
  const { searchPayments } = await import("../chain-on-demand.ts");
  return searchPayments(address, requested);
}
