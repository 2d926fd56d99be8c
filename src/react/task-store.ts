import type { Disposable } from "./use-lifetime.ts";

/** Where one piece of work is, or was when it failed. `progress` is what it told last, if it has told anything. */
export type TaskState<Result, Step> =
  | { status: "idle" }
  | { status: "running"; progress?: Step }
  | { status: "done"; result: Result }
  | { status: "failed"; error: Error; progress?: Step }
  | { status: "aborted" };

/** What a piece of work gets to work with. */
interface TaskRun<Step> {
  /** Fires when the work is aborted, replaced by other work, or nobody shows it any more. */
  signal: AbortSignal;
  /** Says how far it is. */
  tell(step: Step): void;
}

/** Work that can be started again, given a way to tell how far it is. */
export type Work<Result, Step> = (run: TaskRun<Step>) => Promise<Result>;

/** One piece of work at a time, and where it is. Lives outside React, so that nothing late reaches a component. */
export interface TaskStore<Result, Step> extends Disposable {
  subscribe(listener: () => void): () => void;
  state(): TaskState<Result, Step>;
  /** Starts work in place of what is running. Gives its result, or `undefined` if there is none. */
  start(work: Work<Result, Step>): Promise<Result | undefined>;
  /** Does again what was started last. */
  retry(): Promise<Result | undefined>;
  /** Ends what is running; the state says `aborted`. */
  abort(): void;
  /** Ends what is running and forgets everything. */
  reset(): void;
}

/** The state of work that has not begun. One object, so that a server's and a page's first rendering are the same. */
export const idle: { status: "idle" } = { status: "idle" };

/**
 * @param discard - lets go of a result that nobody will see again
 */
export function createTaskStore<Result, Step>(discard?: (result: Result) => void): TaskStore<Result, Step> {
  const listeners = new Set<() => void>();
  let state: TaskState<Result, Step> = idle;
  let running: AbortController | undefined;
  let last: Work<Result, Step> | undefined;
  let isOpen = true;

  function setState(next: TaskState<Result, Step>): void {
    if (state.status === "done") discard?.(state.result);
    state = next;
    for (const listener of listeners) listener();
  }

  function end(next: TaskState<Result, Step>): void {
    const controller = running;
    running = undefined;
    controller?.abort();
    if (state.status !== next.status) setState(next);
  }

  async function start(work: Work<Result, Step>): Promise<Result | undefined> {
    last = work;
    if (!isOpen) return undefined;
    running?.abort();
    const controller = new AbortController();
    running = controller;
    setState({ status: "running" });
    const tell = (progress: Step) => {
      if (running === controller) setState({ status: "running", progress });
    };
    try {
      const result = await work({ signal: controller.signal, tell });
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
      const told = state.status === "running" && state.progress !== undefined ? { progress: state.progress } : {};
      setState({ status: "failed", error: asError(error), ...told });
      return undefined;
    }
  }

  return {
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    state: () => state,
    start,
    retry: async () => (last ? start(last) : undefined),
    abort() {
      if (running) end({ status: "aborted" });
    },
    reset: () => end(idle),
    open() {
      isOpen = true;
    },
    close() {
      isOpen = false;
      end(idle);
    },
  };
}

/** What was thrown, as an error. */
export function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
