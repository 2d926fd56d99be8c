import {
  isUnfinished,
  type Kit,
  type Payment,
  type PaymentProgress,
  type PayOptions,
  type Quote,
  type QuoteOptions,
  type Source,
  type UnfinishedPayment,
  type Usage,
} from "keeplight";
import { copyOptions, copySource } from "keeplight/parts";
import { useCallback, useEffect, useState } from "react";
import type { DistributiveOmit } from "./bound-kit.ts";
import { useKit, useKitLoad, useProvided } from "./kit-provider.ts";
import type { HeldOperations } from "./open-operations.ts";
import { createLifetime, type Disposable, useLatest } from "./store.ts";
import type { Loaded } from "./use-load.ts";
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
  const kit = useKit();
  const latest = useLatest(kit);
  const { start, retry: _, ...controls } = useTask<Payment, PaymentSteps>();
  const { held } = useProvided();
  const [{ open, close, ...payments }] = useState(() => createPayments(start, () => latest.current, held));
  useEffect(() => {
    open();
    return close;
  }, [open, close]);
  return { ...controls, ...payments };
}

/** The payments of one component, one at a time. */
function createPayments(
  start: (work: Work<Payment, PaymentSteps>) => Promise<Payment | undefined>,
  getKit: () => Kit,
  held: HeldOperations,
): Pick<UsePayment, "pay" | "retry"> & Disposable {
  let current: Run | undefined;
  let steps: readonly PaymentProgress[] = [];
  /** What a retry runs, until the payment has succeeded. */
  let retryCall: PaymentCall | undefined;
  /** Lets others resume what the latest run has left open in the journal. */
  let release: () => void = () => undefined;
  const { isOpen, ...lifetime } = createLifetime(() => release());

  function startRun(call: PaymentCall): Promise<Payment | undefined> {
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
      return startRun((own) => getKit().payWithToken({ ...requested, ...own } as PayOptions));
    },
    async retry() {
      // Only once an aborted run has ended is it known whether it has signed something.
      await current?.ended;
      const running = getRunning();
      if (running) return running;
      return retryCall ? startRun(retryCall) : undefined;
    },
    ...lifetime,
  };
}

/** What {@link useQuote} returns. */
export interface UseQuote extends TaskControls<Quote, never> {
  /** Computes the size, the usage and, with a `network` or a `token`, the price of an upload. Reads no file. */
  quote(source: Source, options?: Omit<QuoteOptions, "signal">): Promise<Quote | undefined>;
}

/**
 * Quotes uploads before they are sent; a new one takes the place of the previous one.
 *
 * @example
 * const { state, quote } = useQuote();
 * <input type="file" multiple onChange={({ target }) => quote(target.files ?? [])} />
 * {state.status === "done" && state.result.usage && state.result.usage.dataLeft < 0 && <p>Too much</p>}
 */
export function useQuote(): UseQuote {
  const kit = useKit();
  const { start, ...controls } = useTask<Quote, never>(undefined, kit);
  const quote = useCallback(
    (source: Source, options?: Omit<QuoteOptions, "signal">) => {
      // A retry is of the same.
      const [own, ownOptions] = [copySource(source), copyOptions(options)];
      return start(({ signal }) => kit.getQuote(own, { ...ownOptions, signal }));
    },
    [start, kit],
  );
  return { ...controls, quote };
}

/**
 * How much the account of the provider's `apiKey` may store and has stored. Loads on mount and by `reload`.
 *
 * @example
 * const { state } = useBalance();
 * if (state.status === "ready") return <meter max={state.value.dataLimit} value={state.value.dataUsed} />;
 */
export function useBalance(): Loaded<Usage> {
  return useKitLoad((kit, signal) => kit.getBalance({ signal }));
}
