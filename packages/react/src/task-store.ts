import { createStore, type Store } from "./store.ts";
import { toError } from "./to-error.ts";
import type { Disposable } from "./use-lifetime.ts";

/** The state of a task. */
export type TaskState<Result, Step> =
  | { status: "idle" }
  | {
      status: "running";
      /** The latest report, if there was one. */
      progress?: Step;
    }
  | {
      status: "done";
      /** What the task returned. */
      result: Result;
    }
  | {
      status: "failed";
      /** Why it failed. */
      error: Error;
      /** The latest report, if there was one. */
      progress?: Step;
    }
  | { status: "aborted" };

/** What one run of a task receives. */
interface TaskRun<Step> {
  /** Fires when the task is aborted or replaced, or its component unmounts. */
  signal: AbortSignal;
  /** Reports progress. */
  report(step: Step): void;
}

/** A function that can be run again. */
export type Work<Result, Step> = (run: TaskRun<Step>) => Promise<Result>;

/** One task at a time, and its state. Lives outside React, so that no late result reaches a component. */
export interface TaskStore<Result, Step>
  extends Disposable,
    Pick<Store<TaskState<Result, Step>>, "subscribe" | "state"> {
  /** Starts a task in place of the running one. Returns its result, or `undefined` if there is none. */
  start(work: Work<Result, Step>): Promise<Result | undefined>;
  /** Runs the latest task again. */
  retry(): Promise<Result | undefined>;
  /** Aborts what is running; the state becomes `aborted`. */
  abort(): void;
  /** Aborts what is running and drops its result. */
  reset(): void;
}

/** Before anything is started. One object, so that a server's and a page's first rendering are the same. */
export const idle: { status: "idle" } = { status: "idle" };

/**
 * @param discard - releases a result that is no longer shown
 */
export function createTaskStore<Result, Step>(discard?: (result: Result) => void): TaskStore<Result, Step> {
  const store = createStore<TaskState<Result, Step>>(idle);
  let running: AbortController | undefined;
  let latest: Work<Result, Step> | undefined;
  let isOpen = true;

  function setState(next: TaskState<Result, Step>): void {
    const previous = store.state();
    if (previous.status === "done") discard?.(previous.result);
    store.setState(next);
  }

  function stop(next: TaskState<Result, Step>): void {
    const controller = running;
    running = undefined;
    controller?.abort();
    if (store.state().status !== next.status) setState(next);
  }

  async function start(work: Work<Result, Step>): Promise<Result | undefined> {
    latest = work;
    if (!isOpen) return undefined;
    running?.abort();
    const controller = new AbortController();
    running = controller;
    setState({ status: "running" });
    const report = (progress: Step) => {
      if (running === controller) setState({ status: "running", progress });
    };
    try {
      const result = await work({ signal: controller.signal, report });
      if (running !== controller) {
        discard?.(result);
        return undefined;
      }
      running = undefined;
      setState({ status: "done", result });
      return result;
    } catch (error) {
      if (running !== controller) return undefined;
      running = undefined;
      const state = store.state();
      const progress = state.status === "running" && state.progress !== undefined ? { progress: state.progress } : {};
      setState({ status: "failed", error: toError(error), ...progress });
      return undefined;
    }
  }

  return {
    subscribe: store.subscribe,
    state: store.state,
    start,
    retry: async () => (latest ? start(latest) : undefined),
    abort() {
      if (running) stop({ status: "aborted" });
    },
    reset: () => stop(idle),
    open() {
      isOpen = true;
    },
    close() {
      isOpen = false;
      stop(idle);
    },
  };
}
