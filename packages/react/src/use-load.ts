import { useCallback, useEffect, useState, useSyncExternalStore } from "react";
import { createLoadStore, initialState, type Loader, type LoadState } from "./load-store.ts";
import { useLatest } from "./use-latest.ts";
import { useLifetime } from "./use-lifetime.ts";

/** What every hook that loads on mount returns. */
export interface Loaded<Value> {
  /** The loading state, and the value. */
  state: LoadState<Value>;
  /** Loads the value again; the previous one stays until then. */
  reload(): Promise<void>;
}

/** Loads on mount; resets and reloads when `key` or `subject` changes; aborts on unmount. */
export function useLoad<Value>(
  loader: Loader<Value>,
  key: unknown,
  subject?: string,
): Loaded<Value> & { load(loader: Loader<Value>): Promise<void> } {
  const create = () => ({ key, subject, store: createLoadStore<Value>() });
  const [owned, setOwned] = useState(create);
  let current = owned;
  if (current.key !== key || current.subject !== subject) {
    // During rendering, not in an effect: no rendering for one owner shows the value of another.
    current = create();
    setOwned(current);
  }
  const { store } = current;
  const latest = useLatest(loader);
  useLifetime(store);
  const reload = useCallback(() => store.load((signal, previous) => latest.current(signal, previous)), [store, latest]);
  useEffect(() => {
    void reload();
  }, [reload]);
  const state = useSyncExternalStore(store.subscribe, store.state, getServerState);
  return { state, reload, load: store.load };
}

function getServerState(): { status: "loading" } {
  return initialState;
}
