import { asError } from "./task-store.ts";
import type { Disposable } from "./use-lifetime.ts";

/** Something that is loaded as soon as it is shown. What was known stays there while it is loaded anew. */
export type LoadState<Value> =
  | { status: "loading"; value?: Value }
  | { status: "ready"; value: Value }
  | { status: "failed"; error: Error; value?: Value };

/** Loads a value, given what was known before. */
export type Loader<Value> = (signal: AbortSignal, before: Value | undefined) => Promise<Value>;

/** A value and where its loading is. Lives outside React; see `task-store.ts`. */
export interface LoadStore<Value> extends Disposable {
  subscribe(listener: () => void): () => void;
  state(): LoadState<Value>;
  /** Loads, in place of what is being loaded. */
  load(loader: Loader<Value>): Promise<void>;
  /** Ends what is being loaded, and drops what is known. */
  forget(): void;
}

/** Before anything is known. One object, so that a server's and a page's first rendering are the same. */
export const initialState: { status: "loading" } = { status: "loading" };

export function createLoadStore<Value>(): LoadStore<Value> {
  const listeners = new Set<() => void>();
  let state: LoadState<Value> = initialState;
  let running: AbortController | undefined;
  let isOpen = true;

  function setState(next: LoadState<Value>): void {
    state = next;
    for (const listener of listeners) listener();
  }

  function forget(): void {
    const controller = running;
    running = undefined;
    controller?.abort();
    if (state !== initialState) setState(initialState);
  }

  return {
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    state: () => state,
    async load(loader) {
      if (!isOpen) return;
      running?.abort();
      const controller = new AbortController();
      running = controller;
      const known = state.value === undefined ? {} : { value: state.value };
      if (state.status !== "loading") setState({ status: "loading", ...known });
      try {
        const value = await loader(controller.signal, known.value);
        if (running === controller) setState({ status: "ready", value });
      } catch (error) {
        if (running === controller) setState({ status: "failed", error: asError(error), ...known });
      }
    },
    forget,
    open() {
      isOpen = true;
    },
    close() {
      isOpen = false;
      forget();
    },
  };
}
