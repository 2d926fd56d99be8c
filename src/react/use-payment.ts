import { useCallback, useRef } from "react";
import {
  type Payment,
  type PaymentProgress,
  type PayOptions,
  UnfinishedError,
  type UnfinishedPayment,
} from "../index.ts";
import type { Without } from "./call-options.ts";
import { useKit } from "./kit-provider.ts";
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
  /** Pays; `undefined` if that fails, which `state` tells. */
  pay(options: UsePaymentOptions): Promise<Payment | undefined>;
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
  const unfinished = useRef<UnfinishedPayment>(undefined);
  const last = useRef<UsePaymentOptions>(undefined);

  const run = useCallback(
    (work: (given: { signal: AbortSignal; onProgress: (now: PaymentProgress) => void }) => Promise<Payment>) =>
      start(async ({ signal, tell }) => {
        let steps: readonly PaymentProgress[] = [];
        const onProgress = (now: PaymentProgress) => {
          if (now.phase !== "checking") steps = [...steps.filter(({ phase }) => phase !== now.phase), now];
          tell({ steps, now });
        };
        try {
          return await work({ signal, onProgress });
        } catch (error) {
          if (error instanceof UnfinishedError) unfinished.current = error as UnfinishedPayment;
          throw error;
        }
      }),
    [start],
  );
  const pay = useCallback(
    (options: UsePaymentOptions) => {
      last.current = options;
      unfinished.current = undefined;
      return run((given) => latest.current.payWithToken({ ...options, ...given } as PayOptions));
    },
    [run, latest],
  );
  const retry = useCallback(async () => {
    const { current: begun } = unfinished;
    if (begun) return run((given) => begun.resume(given));
    return last.current ? pay(last.current) : undefined;
  }, [run, pay]);
  return { ...controls, pay, retry };
}
