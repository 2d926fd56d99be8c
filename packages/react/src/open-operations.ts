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
  type UploadPayer,
} from "keeplight";
import { entryBusy } from "keeplight/parts";
import type { BoundKit, DistributiveOmit } from "./bound-kit.ts";
import { createStore } from "./store.ts";

/** Who pays, and how to wait: options of `resumePayments`, without what the hook sets itself. */
export type ResumePayerOptions = DistributiveOmit<ResumePaymentsOptions, "signal" | "onProgress" | "ids">;

/** Options of resuming one operation. */
export interface ResumeOptions {
  /** The files of an upload again, if it fails with `INVALID_SOURCE` without them. @default none */
  source?: Source | undefined;
  /** Required for a payment. @default none */
  payment?: ResumePayerOptions | undefined;
  /** Required for an upload that was started with `payPerUpload`: pays for it. @default none */
  payPerUpload?: UploadPayer | undefined;
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
  { id, kind, payPerUpload: isPaid }: Pick<OpenOperation, "id" | "kind" | "payPerUpload">,
  { source, payment, payPerUpload, action }: ResumeOptions,
  { signal, report: onProgress, failure }: ResumeRun,
): Promise<ResumedResult | undefined> {
  if (kind !== "payment") {
    // What is to be paid for is not sent by the account instead: it may be paid for already.
    const access = isPaid ? { apiKey: undefined, via: undefined, payPerUpload } : {};
    const options = { ...resumeDefaults, ...access, source, signal, onProgress };
    return journal?.resume(id, options as ResumeOperationOptions);
  }
  if (action !== undefined && isUnfinished(failure)) {
    // The payment knows who pays.
    const { privateKey: _, signer: __, ...waiting } = payment ?? {};
    const result = await (failure as UnfinishedPayment).resume({ ...waiting, action, signal, onProgress });
    return { id, kind, result };
  }
  // A payment would wait for the other tab, and continue once it is stopped there.
  const open = (await journal?.list())?.find((each) => each.id === id);
  if (open?.worker === "elsewhere") throw entryBusy(id);
  const options = { ...payment, ids: [id], signal, onProgress } as ResumePaymentsOptions;
  const [report] = journal ? await resumePayments(journal, options) : [];
  if (report && "error" in report) throw report.error;
  return report && { id, kind, result: report.payment };
}

export type HeldOperations = ReturnType<typeof createHeldOperations>;

/**
 * The open operations of a journal that a component of this page holds, with a `retry` of its own: an upload that failed,
 * a share that is half done. They are not offered besides.
 */
export function createHeldOperations() {
  const holders = new Map<string, number>();
  const store = createStore<ReadonlySet<string>>(new Set());

  function change(id: string, by: 1 | -1): void {
    const count = (holders.get(id) ?? 0) + by;
    if (count > 0) holders.set(id, count);
    else holders.delete(id);
    store.setState(new Set(holders.keys()));
  }

  return {
    subscribe: store.subscribe,
    state: store.state,
    /** Holds an operation; returns how to release it. Without an id it has no effect. */
    hold(id: string | undefined): () => void {
      if (id === undefined) return () => undefined;
      change(id, 1);
      let isHeld = true;
      return () => {
        if (isHeld) change(id, -1);
        isHeld = false;
      };
    },
  };
}

/** How often to look whether another tab has ended, in milliseconds: the end of its work frees it without a message. */
const POLL_MS = 3_000;

const getChannelName = (place: string) => `keeplight journal ${place}`;

/** Notifies the other tabs, and this one, that an operation of a journal started, ended or was released. */
export function notifyOfJournal(place: string): void {
  if (typeof BroadcastChannel === "undefined") return;
  const channel = new BroadcastChannel(getChannelName(place));
  channel.postMessage("changed");
  channel.close();
}

/**
 * Calls `listener` when a tab reports a change of a journal, when this page is shown again, and every few seconds while
 * it is shown and `polls` returns true.
 *
 * @returns how to stop
 */
export function watchJournal(place: string, polls: () => boolean, listener: () => void): () => void {
  // Elsewhere there are no other tabs.
  if (typeof document === "undefined") return () => undefined;
  const channel = new BroadcastChannel(getChannelName(place));
  channel.onmessage = listener;
  const onShown = () => document.visibilityState === "visible" && listener();
  const timer = setInterval(() => polls() && onShown(), POLL_MS);
  document.addEventListener("visibilitychange", onShown);
  window.addEventListener("focus", onShown);
  return () => {
    channel.close();
    clearInterval(timer);
    document.removeEventListener("visibilitychange", onShown);
    window.removeEventListener("focus", onShown);
  };
}

/**
 * Returns a function that runs `work`, and whose calls during a run share the next one: each of them resolves after work
 * that was started after it.
 */
export function coalesce(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;

  function start(): Promise<void> {
    next = undefined;
    running = work().finally(() => {
      running = next;
    });
    return running;
  }

  return () => {
    if (!running) return start();
    next ??= running.then(start, start);
    return next;
  };
}
