import { useState, useSyncExternalStore } from "react";
import { createTaskStore, idle, type TaskState, type Work } from "./task-store.ts";
import { useLifetime } from "./use-lifetime.ts";

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
 * A task that is aborted on unmount, and aborted and reset as soon as `owner` or `subject` changes.
 *
 * @param discard - releases a result that is no longer shown
 */
export function useTask<Result, Step>(
  discard?: (result: Result) => void,
  owner?: unknown,
  subject?: string,
): TaskControls<Result, Step> & { start(work: Work<Result, Step>): Promise<Result | undefined> } {
  const create = () => ({ owner, subject, store: createTaskStore<Result, Step>(discard) });
  const [owned, setOwned] = useState(create);
  let current = owned;
  if (current.owner !== owner || current.subject !== subject) {
    // During rendering, not in an effect: no rendering for one owner shows the result of another.
    current = create();
    setOwned(current);
  }
  const { store } = current;
  const state = useSyncExternalStore(store.subscribe, store.state, getServerState);
  useLifetime(store);
  return { state, start: store.start, retry: store.retry, abort: store.abort, reset: store.reset };
}

function getServerState(): { status: "idle" } {
  return idle;
}
