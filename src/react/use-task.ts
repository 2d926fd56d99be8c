import { useEffect, useRef, useState, useSyncExternalStore } from "react";
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

/**
 * A task that ends when its component goes, and, its result forgotten, as soon as `owner` is another one.
 *
 * @param discard - lets go of a result that nobody will see again
 */
export function useTask<Result, Step>(
  discard?: (result: Result) => void,
  owner?: unknown,
): TaskControls<Result, Step> & { start(work: Work<Result, Step>): Promise<Result | undefined> } {
  const create = () => ({ owner, store: createTaskStore<Result, Step>(discard) });
  const [kept, keep] = useState(create);
  let current = kept;
  if (current.owner !== owner) {
    // In this very rendering: none for one owner shows what another's call gave.
    current = create();
    keep(current);
  }
  const { store } = current;
  const state = useSyncExternalStore(store.subscribe, store.state, serverState);
  useLifetime(store);
  return { state, start: store.start, retry: store.retry, abort: store.abort, reset: store.reset };
}

function serverState(): { status: "idle" } {
  return idle;
}
