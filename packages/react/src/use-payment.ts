import {
  isUnfinished,
  type Kit,
  type Payment,
  type PaymentProgress,
  type PayOptions,
  type UnfinishedPayment,
} from "keeplight";
import { copyOptions } from "keeplight/parts";
import { useEffect, useMemo, useState } from "react";
import type { DistributiveOmit } from "./bound-kit.ts";
import type { KitCache } from "./cache.ts";
import { useProvided } from "./kit-provider.ts";
import { useLatest } from "./store.ts";
import { type TaskControls, type TaskRun, useTask, type Work } from "./use-task.ts";

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
  const { bound, cache, uploads } = useProvided();
  const { held } = uploads;
  const latest = useLatest({ kit: bound.kit, cache });
  const { store, controls } = useTask<Payment, PaymentSteps>();
  const [openId, setOpenId] = useState<string>();
  // What a payment has left open in the journal is continued here, and not offered besides.
  useEffect(() => held.hold(openId), [held, openId]);

  const calls = useMemo(() => {
    /** What a retry runs, until it has succeeded. */
    let current: Work<Payment, PaymentSteps> | undefined;
    let running: Promise<Payment | undefined> | undefined;

    async function run(work: typeof current): Promise<Payment | undefined> {
      if (store.state().status === "running") return running;
      current = work;
      if (!work) return undefined;
      running = store.start(work);
      const payment = await running;
      if (payment && current === work) current = undefined;
      return payment;
    }

    return {
      pay: async (options: UsePaymentOptions) => run(createPayment(options, () => latest.current, setOpenId)),
      retry: async () => run(current),
    };
  }, [store, latest]);
  return { ...controls, ...calls };
}

/**
 * One payment, which continues where it was whenever it runs again.
 *
 * @param onOpen - receives the id of what the payment has left open in the journal, or `undefined` once it is complete
 */
function createPayment(
  options: UsePaymentOptions,
  getAccount: () => { kit: Kit; cache: Pick<KitCache, "refresh"> },
  onOpen: (operationId: string | undefined) => void,
): Work<Payment, PaymentSteps> {
  // A retry is of the same.
  const requested = copyOptions(options);
  let steps: readonly PaymentProgress[] = [];
  let unfinished: UnfinishedPayment | undefined;
  let payment: Payment | undefined;
  let ended: Promise<unknown> = Promise.resolve();

  async function attempt({ signal, report }: TaskRun<PaymentSteps>): Promise<Payment> {
    const { kit, cache } = getAccount();
    const onProgress = (now: PaymentProgress) => {
      if (now.phase !== "checking") steps = [...steps.filter(({ phase }) => phase !== now.phase), now];
      report({ steps, now });
    };
    try {
      const own = { signal, onProgress };
      // An abort that is too late to stop a payment hides its result: then a retry returns it.
      payment ??= await (unfinished?.resume(own) ?? kit.payWithToken({ ...requested, ...own } as PayOptions));
      onOpen(undefined);
      return payment;
    } catch (error) {
      if (isUnfinished(error)) {
        unfinished = error as UnfinishedPayment;
        onOpen(unfinished.operationId);
      }
      throw error;
    } finally {
      cache.refresh("payWithToken");
    }
  }

  return (run) => {
    // Only once an aborted run has ended is it known whether it has signed something.
    const attempted = ended.then(() => {
      run.signal.throwIfAborted();
      return attempt(run);
    });
    ended = attempted.catch(() => undefined);
    return attempted;
  };
}
