import {
  isUnfinished,
  type OpenOperation,
  type Payment,
  type PaymentAction,
  type PaymentProgress,
  type Progress,
  type Resumed,
  type ResumedOperation,
  type ResumeOperationOptions,
  type ResumePaymentsOptions,
  resumePayments,
  type Source,
  type UnfinishedPayment,
} from "keeplight";
import { entryBusy } from "keeplight/parts";
import type { BoundKit } from "./bound-kit.ts";
import type { DistributiveOmit } from "./call-options.ts";

/** Who pays, and how to wait: options of `resumePayments`, without what the hook sets itself. */
export type ResumePayerOptions = DistributiveOmit<ResumePaymentsOptions, "signal" | "onProgress" | "ids">;

/** Options of resuming one operation. */
export interface ResumeOptions {
  /** The files of an upload again, if it fails with `INVALID_SOURCE` without them. @default none */
  source?: Source | undefined;
  /** Required for a payment. @default none */
  payment?: ResumePayerOptions | undefined;
  /**
   * What to do with the open transaction of a payment that was resumed before and failed; see `ResumePaymentOptions`.
   *
   * @default none
   */
  action?: PaymentAction | undefined;
}

/** What an interrupted operation has returned. */
export type ResumedResult = ResumedOperation | Resumed<"payment", Payment>;

/** One attempt to complete an operation. */
export interface ResumeRun {
  signal: AbortSignal;
  report(progress: Progress | PaymentProgress): void;
  /** Why the attempt before failed, if there was one in this page. */
  failure?: unknown;
}

/** Completes an operation of the provider's journal. Returns `undefined` if it was completed elsewhere meanwhile. */
export async function resumeOperation(
  { journal, resumeDefaults }: BoundKit,
  { id, kind }: Pick<OpenOperation, "id" | "kind">,
  { source, payment, action }: ResumeOptions,
  { signal, report: onProgress, failure }: ResumeRun,
): Promise<ResumedResult | undefined> {
  if (kind !== "payment") {
    return journal?.resume(id, { ...resumeDefaults, source, signal, onProgress } as ResumeOperationOptions);
  }
  if (action !== undefined && isUnfinished(failure)) {
    const resumed = { ...getWaiting(payment), action, signal, onProgress };
    return { id, kind, result: await (failure as UnfinishedPayment).resume(resumed) };
  }
  // A payment would wait for the other tab, and continue once it is stopped there.
  const open = (await journal?.list())?.find((each) => each.id === id);
  if (open?.worker === "elsewhere") throw entryBusy(id);
  const options = { ...payment, ids: [id], signal, onProgress } as ResumePaymentsOptions;
  const [report] = journal ? await resumePayments(journal, options) : [];
  if (report && "error" in report) throw report.error;
  return report && { id, kind, result: report.payment };
}

/** The options of resuming one payment, which knows who pays. */
function getWaiting(payment: ResumePayerOptions | undefined) {
  const { privateKey: _, signer: __, ...waiting } = payment ?? {};
  return waiting;
}
