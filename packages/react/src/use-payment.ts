import {
  isUnfinished,
  type Kit,
  type Payment,
  type PaymentProgress,
  type PayOptions,
  type UnfinishedPayment,
} from "keeplight";
import { copyOptions } from "keeplight/parts";
import { useState } from "react";
import type { DistributiveOmit } from "./bound-kit.ts";
import type { KitCache } from "./cache.ts";
import { useProvided } from "./kit-provider.ts";
import type { HeldOperations } from "./open-operations.ts";
import { createStore, type Disposable, useLatest, useLifetime } from "./store.ts";
import { type TaskControls, useTask, type Work } from "./use-task.ts";

/** The progress of a payment, and its transactions so far. */
export interface PaymentSteps {
  /** The transactions so far, in their order, each with its latest state. */
  steps: readonly PaymentProgress[];
  /** The latest report. */
  now: PaymentProgress;
}

/** Options of {@link UsePayment.pay}: those of `payWithToken`, without what the hook sets itself. */
export type UsePaymentOptions = DistributiveOmit<PayOptions, "signal" | "onProgress">;

/** What {@link usePayment} returns. */
export interface UsePayment extends TaskControls<Payment, PaymentSteps> {
  /**
   * Pays. Returns `undefined` if that fails; the error is in `state`. While a payment is running no other one starts:
   * a second call returns the result of the first.
   */
  pay(options: UsePaymentOptions): Promise<Payment | undefined>;
  /**
   * Continues a failed or aborted payment with the transactions that are signed already; pays again only if none is.
   * Does nothing after a successful payment.
   */
  retry(): Promise<Payment | undefined>;
}

/** Pays, with the options that the hook sets itself for each run. */
type PaymentCall = (options: { signal: AbortSignal; onProgress: (now: PaymentProgress) => void }) => Promise<Payment>;

/** One run of a payment. */
interface Run {
  signal: AbortSignal | undefined;
  /** Settles when nothing of the run is left. */
  ended: Promise<Payment | undefined>;
  isOver: boolean;
}

/**
 * Pays for storage and reports each transaction. If a payment failed after something was signed, `retry`
 * looks the transaction up and continues with it: it never pays twice. An abort, or unmounting, ends the waiting, but
 * cannot stop a transaction that is already sent.
 *
 * @example
 * const { state, pay, retry } = usePayment();
 * <button onClick={() => pay({ network: "polygon", token: "usdc", size, signer: provider })}>Pay</button>
 */
export function usePayment(): UsePayment {
  const { bound, cache, held } = useProvided();
  const latest = useLatest({ kit: bound.kit, cache });
  const { start, retry: _, ...controls } = useTask<Payment, PaymentSteps>();
  const [payments] = useState(() => createPayments(start, () => latest.current, held));
  useLifetime(payments);
  return { ...controls, pay: payments.pay, retry: payments.retry };
}

/** The payments of one component, one at a time. */
function createPayments(
  start: (work: Work<Payment, PaymentSteps>) => Promise<Payment | undefined>,
  getAccount: () => { kit: Kit; cache: Pick<KitCache, "refresh"> },
  held: HeldOperations,
): Pick<UsePayment, "pay" | "retry"> & Disposable {
  let current: Run | undefined;
  let steps: readonly PaymentProgress[] = [];
  /** What a retry runs, until the payment has succeeded. */
  let retryCall: PaymentCall | undefined;
  /** Lets others resume what the latest run has left open in the journal. */
  let release: () => void = () => undefined;
  const { isOpen, open, close } = createStore(undefined, { onClose: () => release() });

  function startRun(call: PaymentCall): Promise<Payment | undefined> {
    const { cache } = getAccount();
    const run: Run = { signal: undefined, ended: Promise.resolve(undefined), isOver: false };
    current = run;
    retryCall = call;
    run.ended = start(async ({ signal, report }) => {
      run.signal = signal;
      const onProgress = (now: PaymentProgress) => {
        if (current !== run) return;
        if (now.phase !== "checking") steps = [...steps.filter(({ phase }) => phase !== now.phase), now];
        report({ steps, now });
      };
      try {
        const payment = await call({ signal, onProgress });
        // An abort that is too late to stop a payment hides its result: then a retry returns it.
        if (current === run) retryCall = async () => payment;
        release();
        return payment;
      } catch (error) {
        const unfinished = isUnfinished(error) ? (error as UnfinishedPayment) : undefined;
        if (current === run && unfinished) {
          retryCall = (options) => unfinished.resume(options);
          release();
          if (isOpen()) release = held.hold(unfinished.operationId);
        }
        throw error;
      } finally {
        cache.refresh("payWithToken");
      }
    }).then((payment) => {
      run.isOver = true;
      if (payment && current === run) retryCall = undefined;
      return payment;
    });
    return run.ended;
  }

  /** The result of the current run, unless it is over or aborted. */
  const getRunning = () => (current && !current.isOver && !current.signal?.aborted ? current.ended : undefined);

  return {
    async pay(options) {
      const running = getRunning();
      if (running) return running;
      steps = [];
      // A retry is of the same.
      const requested = copyOptions(options);
      return startRun((own) => getAccount().kit.payWithToken({ ...requested, ...own } as PayOptions));
    },
    async retry() {
      // Only once an aborted run has ended is it known whether it has signed something.
      await current?.ended;
      const running = getRunning();
      if (running) return running;
      return retryCall ? startRun(retryCall) : undefined;
    },
    open,
    close,
  };
}
