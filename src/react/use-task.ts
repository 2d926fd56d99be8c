import { useCallback, useEffect, useRef, useState, useSyncExternalStore } from "react";
import { createTaskStore, idle, type TaskState, type Work } from "./task-store.ts";
import { useLifetime } from "./use-lifetime.ts";

/** What every hook that does one piece of work gives. */
export interface TaskControls<Result, Step> {
  /** Where the work is. */
  state: TaskState<Result, Step>;
  /** Ends what is running. */
  abort(): void;
  /** Does again what was done last. Does nothing if nothing was. */
  retry(): Promise<Result | undefined>;
  /** Ends what is running, and forgets state and result. */
  reset(): void;
}

/** The value of the latest rendering, for calls made between two renderings. */
export function useLatest<Value>(value: Value): { readonly current: Value } {
  const latest = useRef(value);
  useEffect(() => {
    latest.current = value;
  });
  return latest;
}

/** A task that ends when its component goes. `start` keeps the work for {@link TaskControls.retry}. */
export function useTask<Result, Step>(
  discard?: (result: Result) => void,
): TaskControls<Result, Step> & { start(work: Work<Result, Step>): Promise<Result | undefined> } {
  const [store] = useState(() => createTaskStore<Result, Step>(discard));
  const state = useSyncExternalStore(store.subscribe, store.state, serverState);
  const last = useRef<Work<Result, Step>>(undefined);
  useLifetime(store);
  const start = useCallback(
    (work: Work<Result, Step>) => {
      last.current = work;
      return store.start(work);
    },
    [store],
  );
  const retry = useCallback(async () => (last.current ? store.start(last.current) : undefined), [store]);
  return { state, start, retry, abort: store.abort, reset: store.reset };
}

function serverState(): { status: "idle" } {
  return idle;
}
