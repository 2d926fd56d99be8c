import { getBalance, type Usage } from "../../account/usage.ts";
import { copyInput } from "../../base/copy-input.ts";
import { bearerOptionNames } from "../../options.ts";
import { copyOptions, fromNames } from "../../validation/check-options.ts";
import type { Credit, WaitForCreditOptions } from "./types.ts";

export const waitForCreditOperation = { options: fromNames(bearerOptionNames) };

/**
 * Waits until the network has credited a payment: the account may store more than before. The network does so some time
 * after the payment is confirmed; that it has not yet does not mean that the payment failed.
 *
 * @param before - what `getBalance` returned before the payment
 * @returns also if `waitMs` have passed, with `isCredited: false`
 * @throws `MISSING_API_KEY`, `INVALID_OPTION`, `HTTP_STATUS` (401 for an API key that is not valid); what every request
 * may throw, if requests still fail at the end
 *
 * @example
 * const before = await getBalance({ apiKey });
 * await payWithToken({ network: "polygon", token: "usdc", size: 5_000_000, signer });
 * const { isCredited, balance } = await waitForCredit(before, { apiKey });
 */
export async function waitForCredit(before: Pick<Usage, "dataLimit">, options: WaitForCreditOptions): Promise<Credit> {
  const [balance, requested] = [copyInput(before, "before"), copyOptions(options)];
  const { pollForCredit } = await import("../on-demand.ts");
  return pollForCredit(balance, requested, getBalance);
}
