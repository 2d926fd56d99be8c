import { useCallback, useEffect } from "react";
import { toError } from "./errors.ts";
import { createLifetime, createStore, useLatest, useLifetime, useOwned, useStoreState } from "./store.ts";

/** What every hook that loads on mount returns. */
export interface Loaded<Value> {
  /** The loading state, and the value. */
  state: LoadState<Value>;
  /** Loads the value again; the previous one stays until then. */
  reload(): Promise<void>;
}

/** Loads on mount; resets and reloads when `key` changes; aborts on unmount. */
export function useLoad<Value>(loader: Loader<Value>, key: unknown): Loaded<Value> {
  const store = useOwned(createLoadStore<Value>, key);
  const latest = useLatest(loader);
  useLifetime(store);
  const reload = useCallback(() => store.load((signal) => latest.current(signal)), [store, latest]);
  useEffect(() => {
    void reload();
  }, [reload]);
  const state = useStoreState<LoadState<Value>>(store, initialState);
  return { state, reload };
}

/** A value that loads as soon as it is shown. While it reloads, the previous value stays. */
export type LoadState<Value> =
  | {
      status: "loading";
      /** The last known value. */
      value?: Value;
    }
  | {
      status: "ready";
      /** What was loaded. */
      value: Value;
    }
  | {
      status: "failed";
      /** Why it could not be loaded. */
      error: Error;
      /** The last known value. */
      value?: Value;
    };

/** Loads a value. */
type Loader<Value> = (signal: AbortSignal) => Promise<Value>;

/** Before anything is loaded. One object, so that a server's and a page's first rendering are the same. */
export const initialState: { status: "loading" } = { status: "loading" };

/** A value and its loading state. Lives outside React, so that no late value reaches a component. */
function createLoadStore<Value>() {
  const { subscribe, state, setState } = createStore<LoadState<Value>>(initialState);
  let running: AbortController | undefined;
  const { isOpen, ...lifetime } = createLifetime(() => {
    const controller = running;
    running = undefined;
    controller?.abort();
    setState(initialState);
  });

  return {
    subscribe,
    state,
    /** Loads a value, in place of what is loading. */
    async load(loader: Loader<Value>): Promise<void> {
      if (!isOpen()) return;
      running?.abort();
      const controller = new AbortController();
      running = controller;
      const { status, value: previous } = state();
      const known = previous === undefined ? {} : { value: previous };
      if (status !== "loading") setState({ status: "loading", ...known });
      try {
        const value = await loader(controller.signal);
        if (running === controller) setState({ status: "ready", value });
      } catch (error) {
        if (running === controller) setState({ status: "failed", error: toError(error), ...known });
      }
    },
    ...lifetime,
  };
}
