import { useCallback, useEffect, useState, useSyncExternalStore } from "react";
import { createLoadStore, initialState, type Loader, type LoadState } from "./load-store.ts";
import { useLifetime } from "./use-lifetime.ts";
import { useLatest } from "./use-task.ts";

/** What every hook that loads by itself gives. */
export interface Loaded<Value> {
  /** Where the loading is, and what is known. */
  state: LoadState<Value>;
  /** Loads it anew; what is known stays until then. */
  reload(): Promise<void>;
}

/**
 * Loads when the component comes, and anew, from nothing, when `key` changes. Ends when the component goes.
 */
export function useLoad<Value>(
  loader: Loader<Value>,
  key: unknown,
): Loaded<Value> & { load(loader: Loader<Value>): Promise<void> } {
  const [store] = useState(() => createLoadStore<Value>());
  const latest = useLatest(loader);
  useLifetime(store);
  const reload = useCallback(() => store.load((signal, before) => latest.current(signal, before)), [store, latest]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `key` says whose value it is.
  useEffect(() => {
    void reload();
    return () => store.forget();
  }, [store, reload, key]);
  const state = useSyncExternalStore(store.subscribe, store.state, serverState);
  return { state, reload, load: store.load };
}

function serverState(): { status: "loading" } {
  return initialState;
}
