import { useState } from "react";
import {
  type Kit,
  type Payment,
  type PaymentProgress,
  type PayOptions,
  UnfinishedError,
  type UnfinishedPayment,
} from "../index.ts";
import type { Without } from "./call-options.ts";
import { useKit } from "./kit-provider.ts";
import type { Work } from "./task-store.ts";
import { type TaskControls, useLatest, useTask } from "./use-task.ts";

/** How far a payment is, and what it did until now. */
export interface PaymentSteps {
  /** The transactions so far, each as it stands, in their order. */
  steps: readonly PaymentProgress[];
  /** The latest news. */
  now: PaymentProgress;
}

/** Options of {@link UsePayment.pay}: those of `payWithToken`, without what the hook does itself. */
export type UsePaymentOptions = Without<PayOptions, "signal" | "onProgress">;

/** What {@link usePayment} gives. */
export interface UsePayment extends TaskControls<Payment, PaymentSteps> {
  /**
   * Pays; `undefined` if that fails, which `state` tells. While a payment is being made, another one is not begun:
   * whoever asks for it gets the result of the first.
   */
  pay(options: UsePaymentOptions): Promise<Payment | undefined>;
  /**
   * Goes on with a payment that failed or was aborted: with what is signed already where something is, else anew.
   * Does nothing after one that worked.
   */
  retry(): Promise<Payment | undefined>;
}

/** What a run of a payment is given. */
interface Given {
  signal: AbortSignal;
  onProgress: (now: PaymentProgress) => void;
}

/** One run of a payment. */
interface Run {
  signal: AbortSignal | undefined;
  /** Settles when nothing of it is going on any more. */
  ended: Promise<Payment | undefined>;
  isOver: boolean;
}

/**
 * Pays for storage and tells of each transaction. Where a payment failed after something was signed, `retry`
 * looks the transaction up and goes on with it: it never pays twice. An abort, or the end of the component, ends the
 * waiting, not a transaction that is on its way.
 *
 * @example
 * const { state, pay, retry } = usePayment();
 * <button onClick={() => pay({ network: "polygon", token: "usdc", size, signer: provider })}>Pay</button>
 */
export function usePayment(): UsePayment {
  const kit = useKit();
  const latest = useLatest(kit);
  const { start, retry: _, ...controls } = useTask<Payment, PaymentSteps>();
  const [payments] = useState(() => createPayments(start, () => latest.current));
  return { ...controls, ...payments };
}

/** The payments of one component, one at a time. */
function createPayments(
  start: (work: Work<Payment, PaymentSteps>) => Promise<Payment | undefined>,
  kit: () => Kit,
): Pick<UsePayment, "pay" | "retry"> {
  let current: Run | undefined;
  let steps: readonly PaymentProgress[] = [];
  /** How to go on with the payment, unless it worked. */
  let again: ((given: Given) => Promise<Payment>) | undefined;

  function run(work: (given: Given) => Promise<Payment>): Promise<Payment | undefined> {
    const mine: Run = { signal: undefined, ended: Promise.resolve(undefined), isOver: false };
    current = mine;
    again = work;
    mine.ended = start(async ({ signal, tell }) => {
      mine.signal = signal;
      const onProgress = (now: PaymentProgress) => {
        if (current !== mine) return;
        if (now.phase !== "checking") steps = [...steps.filter(({ phase }) => phase !== now.phase), now];
        tell({ steps, now });
      };
      try {
        const payment = await work({ signal, onProgress });
        // An abort that comes too late to stop a payment hides its result: then a retry returns it.
        if (current === mine) again = async () => payment;
        return payment;
      } catch (error) {
        const unfinished = error instanceof UnfinishedError ? (error as UnfinishedPayment) : undefined;
        if (current === mine && unfinished) again = (given) => unfinished.resume(given);
        throw error;
      }
    }).then((payment) => {
      mine.isOver = true;
      if (payment && current === mine) again = undefined;
      return payment;
    });
    return mine.ended;
  }

  /** The run that is going on, if its result is still wanted. */
  const going = () => (current && !current.isOver && !current.signal?.aborted ? current.ended : undefined);

  return {
    async pay(options) {
      const other = going();
      if (other) return other;
      steps = [];
      return run((given) => kit().payWithToken({ ...options, ...given } as PayOptions));
    },
    async retry() {
      // Only once an aborted run has ended is it known whether it has signed something.
      await current?.ended;
      const other = going();
      if (other) return other;
      return again ? run(again) : undefined;
    },
  };
}
