import type { JournalLike } from "../journal/handle.ts";
import { checkOptions } from "../validation/check-options.ts";
import { resumePaymentsNames } from "./price-options.ts";
import type { FailedPayment, ResumedPayment, ResumePaymentsOptions } from "./types.ts";

const optionNames = [...resumePaymentsNames, "privateKey,ids"] as const;

/**
 * Completes the payments of a journal that were interrupted, even by the end of their process, oldest first; one that
 * fails does not stop the others. Each is looked up on the chain first, and none is paid twice. Payments that
 * failed on the chain are reported, not made again; those of other accounts fail with `INVALID_OPTION`.
 *
 * @throws `INVALID_OPTION`, `MISSING_PRIVATE_KEY`, `CANNOT_WRITE`
 *
 * @example
 * const journal = await openJournal({ folder: "./journal" });
 * for (const report of await resumePayments(journal, { signer })) console.log(report.orderId, report);
 */
export async function resumePayments(
  journal: JournalLike,
  options: ResumePaymentsOptions,
): Promise<(ResumedPayment | FailedPayment)[]> {
  options = checkOptions(options, optionNames);
  const { continueOrders } = await import("./on-demand.ts");
  return continueOrders(journal, options);
}
