import {
  isKeeplightError,
  type Journal,
  type OpenOperation,
  type PaymentProgress,
  type Progress,
  type Source,
  type UploadPayer,
} from "keeplight";
import { copyOptions } from "keeplight/parts";
import type { BoundKit } from "./bound-kit.ts";
import { toError } from "./errors.ts";
import {
  coalesce,
  notifyOfJournal,
  type ResumedResult,
  type ResumeOptions,
  resumeOperation,
  watchJournal,
} from "./open-operations.ts";
import { createStore } from "./store.ts";
import type { UploadManager } from "./upload-manager.ts";
import { initialState, type LoadState } from "./use-load.ts";

/** How far the completion of an operation is. */
export type OperationState =
  | { status: "idle" }
  | { status: "waiting" }
  | {
      status: "running";
      /** The latest report, if there was one: of an upload, or of a payment. */
      progress?: Progress | PaymentProgress;
    }
  | {
      status: "failed";
      /** Why it could not be completed, or discarded. */
      error: Error;
      /** Set if nothing is left to resume, as of a payment that the chain reverted: discarding it removes it here. */
      isOver?: true;
    };

/** An operation that was interrupted, and its completion in this page. */
export interface UnfinishedOperation extends OpenOperation {
  /** Replaced, together with its operation, on every change. */
  state: OperationState;
}

/** Options of resuming all operations. */
export interface ResumeAllOptions extends Pick<ResumeOptions, "payment"> {
  /** Returns the files of an upload again, if they are at hand. @default none */
  getSource?: ((operation: OpenOperation) => Source | undefined | Promise<Source | undefined>) | undefined;
  /**
   * Returns what pays for an upload that was started with `payPerUpload`, up to the limit of it: without this function they are
   * left out. If it fails, its error is that of the upload. @default none
   */
  getUploadPayer?:
    | ((limit: NonNullable<OpenOperation["payPerUpload"]>) => UploadPayer | Promise<UploadPayer>)
    | undefined;
}

export type UnfinishedManager = ReturnType<typeof createUnfinishedManager>;

/** The completion of one operation. */
interface Run {
  state: OperationState;
  controller?: AbortController;
  ended?: Promise<ResumedResult | undefined>;
  /** When the operation was last changed, as of the failure. */
  updatedAt?: number;
  /** The operation, if it has failed for good in this page. */
  over?: OpenOperation;
}

const idle: OperationState = { status: "idle" };

/** How long changes of what is held are collected, in milliseconds. */
const SETTLE_MS = 200;

/**
 * The interrupted operations of one journal, if there is one.
 *
 * @param getBound - the kit that resumes them, which is bound to the journal
 * @param uploads - continue what is queued, and hold what is not listed, as it is retried where it was started
 * @param onResumed - called whenever an attempt to complete an operation has ended
 */
export function createUnfinishedManager(
  journal: Journal | undefined,
  getBound: () => BoundKit,
  { held, continueQueued }: Pick<UploadManager, "continueQueued" | "held">,
  onResumed: () => void = () => undefined,
) {
  const store = createStore<LoadState<readonly UnfinishedOperation[]>>(initialState, {
    onListened: watch,
    onClose() {
      for (const { controller } of runs.values()) controller?.abort();
      runs.clear();
      listed = [];
    },
  });
  const { isOpen } = store;
  const runs = new Map<string, Run>();
  let listed: readonly OpenOperation[] = [];

  function publish(): void {
    const shown = listed.filter(({ id, worker }) => runs.has(id) || (worker !== "here" && !held.state().has(id)));
    const value = shown.map((open) => ({ ...open, state: runs.get(open.id)?.state ?? idle }));
    store.setState({ status: "ready", value });
  }

  // A thousand uploads that fail one after another are not listed a thousand times.
  const reload = coalesce(async () => {
    try {
      const found = (await journal?.list()) ?? [];
      if (!isOpen()) return;
      listed = [...[...runs.values()].flatMap(({ over }) => over ?? []), ...found];
      for (const [id, { ended, updatedAt }] of runs) {
        const now = find(id)?.updatedAt;
        // Another tab may have continued it: the error of this one no longer holds.
        if (ended === undefined && (now === undefined || (updatedAt ?? now) !== now)) runs.delete(id);
      }
      publish();
    } catch (error) {
      if (!isOpen()) return;
      const { value } = store.state();
      store.setState({ status: "failed", error: toError(error), ...(value ? { value } : {}) });
    }
  });

  /** Follows what this page and other tabs change, as long as anybody listens. */
  function watch(): () => void {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const unsubscribe = held.subscribe(() => {
      if (store.state().status === "ready") publish();
      timer ??= setTimeout(() => {
        timer = undefined;
        void settle();
      }, SETTLE_MS);
    });
    // A tab that ends, and a retry where the operation was started, complete it without a message.
    const polls = () => listed.length > 0;
    const unwatch = journal && watchJournal(journal.place, polls, () => void reload());
    return () => {
      clearTimeout(timer);
      unsubscribe();
      unwatch?.();
    };
  }

  /** Shows a change of this page, here and in the other tabs. */
  async function settle(): Promise<void> {
    if (!journal || !isOpen()) return;
    notifyOfJournal(journal.place);
    await reload();
  }

  const find = (id: string) => listed.find((open) => open.id === id);

  function forget(id: string): void {
    runs.delete(id);
    listed = listed.filter((open) => open.id !== id);
  }

  function fail(id: string, error: unknown): void {
    runs.set(id, { state: { status: "failed", error: toError(error) } });
    publish();
  }

  /** Completes an operation; an upload once the drive is open, which it may be for. */
  async function resumeStarted(...[by, operation, own, run]: Parameters<typeof resumeOperation>) {
    if (operation.kind === "upload") await by.drive?.whenOpen();
    return resumeOperation(by, operation, own, run);
  }

  /** Completes an operation, unless that is under way. Reports an error in its state. */
  async function resume(id: string, options: ResumeOptions = {}): Promise<ResumedResult | undefined> {
    const operation = find(id);
    const before = runs.get(id);
    if (before?.ended !== undefined) return before.ended;
    if (!operation || before?.over || !isOpen()) return undefined;
    const failure = before?.state.status === "failed" ? before.state.error : undefined;
    const controller = new AbortController();
    const { signal } = controller;
    const run: Run = { state: { status: "running" }, controller };
    const report = (progress: Progress | PaymentProgress) => {
      if (signal.aborted) return;
      run.state = { status: "running", progress };
      publish();
    };
    const own = { ...options, payment: copyOptions(options.payment) };
    const completed: Promise<ResumedResult | undefined> =
      operation.kind === "queued"
        ? continueQueued(id, own.source, own.payPerUpload)
        : resumeStarted(getBound(), operation, own, { signal, report, failure });
    run.ended = completed.then(
      (result) => {
        forget(id);
        publish();
        return result;
      },
      (error) => {
        if (signal.aborted) runs.delete(id);
        else run.state = { status: "failed", error: toError(error) };
        return undefined;
      },
    );
    runs.set(id, run);
    publish();
    const result = await run.ended;
    delete run.ended;
    onResumed();
    const { state } = run;
    await settle();
    const left = find(id);
    if (left) run.updatedAt = left.updatedAt;
    if (state.status !== "failed" || left || isGone(state.error) || !isOpen()) return result;
    // It is no longer in the journal, and its error is to be seen.
    listed = [operation, ...listed];
    runs.set(id, { state: { ...state, isOver: true }, over: operation });
    publish();
    return result;
  }

  async function resumeAll({ getSource, getUploadPayer, ...given }: ResumeAllOptions = {}): Promise<ResumedResult[]> {
    const payment = copyOptions(given.payment);
    const todo = listed.filter(({ id, kind, worker, payPerUpload }) => {
      const run = runs.get(id);
      const isIdle = run?.ended === undefined && run?.state.status !== "waiting";
      const isFree = worker === undefined && !run?.over && !held.state().has(id) && isIdle;
      const isPayable = payPerUpload === undefined || getUploadPayer !== undefined;
      return isFree && kind !== "unreadable" && isPayable && (kind !== "payment" || payment !== undefined);
    });
    const own = new Map(todo.map(({ id }) => [id, { state: { status: "waiting" } } satisfies Run]));
    for (const [id, run] of own) runs.set(id, run);
    publish();
    const results: ResumedResult[] = [];
    for (const operation of todo) {
      const isWaiting = () => runs.get(operation.id) === own.get(operation.id);
      // Otherwise it was aborted while it waited.
      if (!isWaiting()) continue;
      const source = await (async () => getSource?.(operation))().catch(() => undefined);
      const limit = operation.payPerUpload;
      const payPerUpload =
        limit &&
        (await (async () => getUploadPayer?.(limit))().catch((error) => {
          if (isWaiting()) fail(operation.id, error);
          return undefined;
        }));
      const result = isWaiting() ? await resume(operation.id, { source, payment, payPerUpload }) : undefined;
      if (result) results.push(result);
    }
    return results;
  }

  function abort(id?: string): void {
    for (const [each, { state, controller }] of runs) {
      if (id !== undefined && each !== id) continue;
      controller?.abort();
      if (state.status === "waiting") runs.delete(each);
    }
    publish();
  }

  return {
    ...store,
    reload,
    resume,
    resumeAll,
    abort,
    async discard(id: string): Promise<boolean> {
      if (!journal || runs.get(id)?.ended !== undefined) return false;
      let isDiscarded = false;
      try {
        if (!runs.get(id)?.over) await journal.discard(id);
        isDiscarded = true;
        forget(id);
      } catch (error) {
        fail(id, error);
      }
      publish();
      await settle();
      return isDiscarded;
    },
  };
}

/** Whether an operation that is not in the journal any more was completed or discarded by somebody else. */
function isGone(error: Error): boolean {
  return isKeeplightError(error, "JOURNAL_ENTRY_UNKNOWN") || isKeeplightError(error, "JOURNAL_ENTRY_BUSY");
}
