import { invalidOption } from "../base/errors/input.ts";
import { type OptionSchema, resolveOptions } from "../base/operation.ts";
import { getEntries, type JournalLike } from "../journal/handle.ts";
import { choosePayer, type PayerOptions, payerSchema } from "./options.ts";
import { type ResumePaymentOptions, resumeSchema } from "./run/run-options.ts";
import type { FailedPayment, ResumedPayment } from "./types.ts";

/** Options of {@link resumePayments}: who pays, and what {@link ResumePaymentOptions} has. */
export type ResumePaymentsOptions = Omit<ResumePaymentOptions, "signer" | "action"> &
  PayerOptions & {
    /** Which payments to complete: their ids in `journal.list()`. @default all */
    ids?: readonly string[] | undefined;
  };

const schema = {
  ...resumeSchema,
  ...payerSchema,
  ids(ids, name): string[] | undefined {
    if (ids === undefined || (Array.isArray(ids) && ids.every((id) => typeof id === "string"))) return ids;
    throw invalidOption(name, "a list of ids of operations");
  },
} satisfies OptionSchema<ResumePaymentsOptions>;

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
  const { ids, ...running } = resolveOptions(schema, options);
  const payer = choosePayer(running);
  getEntries(journal);
  const { continuePayments } = await import("./lazy.ts");
  return continuePayments(journal, ids, { ...running, ...payer });
}
