import { toError } from "./errors.ts";
import { createStore, useLifetime, useOwned, useStoreState } from "./store.ts";

/** What every hook that runs a task returns. */
export interface TaskControls<Result, Step> {
  /** The state of the task. */
  state: TaskState<Result, Step>;
  /** Aborts what is running. */
  abort(): void;
  /** Runs the latest task again. Does nothing if there was none. */
  retry(): Promise<Result | undefined>;
  /** Aborts what is running, and drops state and result. */
  reset(): void;
}

/**
 * A task that is aborted on unmount, and aborted and reset as soon as `owner` changes.
 *
 * @param discard - releases a result that is no longer shown
 */
export function useTask<Result, Step>(discard?: (result: Result) => void, owner?: unknown) {
  const store = useOwned(() => createTaskStore<Result, Step>(discard), owner);
  const state = useStoreState<TaskState<Result, Step>>(store, idle);
  useLifetime(store);
  const { retry, abort, reset } = store;
  return { store, controls: { state, retry, abort, reset } };
}

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
export interface TaskRun<Step> {
  /** Fires when the task is aborted or replaced, or its component unmounts. */
  signal: AbortSignal;
  /** Reports progress. */
  report(step: Step): void;
}

/** A function that can be run again. */
export type Work<Result, Step> = (run: TaskRun<Step>) => Promise<Result>;

/** Before anything is started. One object, so that a server's and a page's first rendering are the same. */
const idle: { status: "idle" } = { status: "idle" };

/** One task at a time, and its state. */
function createTaskStore<Result, Step>(discard?: (result: Result) => void) {
  const store = createStore<TaskState<Result, Step>>(idle, { onClose: () => stop(idle) });
  let running: AbortController | undefined;
  let latest: Work<Result, Step> | undefined;

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
    if (!store.isOpen()) return undefined;
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
    ...store,
    start,
    retry: async () => (latest ? start(latest) : undefined),
    abort() {
      if (running) stop({ status: "aborted" });
    },
    reset: () => stop(idle),
  };
}
