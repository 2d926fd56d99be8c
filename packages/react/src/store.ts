import { useEffect, useInsertionEffect, useLayoutEffect, useRef, useState, useSyncExternalStore } from "react";

/** A value outside React, in the shape that `useSyncExternalStore` expects. */
export interface Store<State> {
  /** Calls `listener` on each change; returns how to unsubscribe. */
  subscribe(listener: () => void): () => void;
  /** The same object until the next change. */
  state(): State;
  /** Replaces the state and notifies the listeners, unless it is the same one. */
  setState(next: State): void;
}

/**
 * @param activate - runs when the first listener subscribes; its result runs when the last one has unsubscribed
 */
export function createStore<State>(initial: State, activate?: () => () => void): Store<State> {
  const listeners = new Set<() => void>();
  let state = initial;
  let deactivate: (() => void) | undefined;
  return {
    subscribe(listener) {
      listeners.add(listener);
      if (listeners.size === 1) deactivate = activate?.();
      return () => {
        if (listeners.delete(listener) && listeners.size === 0) deactivate?.();
      };
    },
    state: () => state,
    setState(next) {
      if (next === state) return;
      state = next;
      for (const listener of listeners) listener();
    },
  };
}

/** Listeners by the id of what they listen to, so that one item's change does not concern those of the others. */
export function createItemStore() {
  const listeners = new Map<string, Set<() => void>>();
  return {
    /** Calls `listener` on each change of the item; returns how to unsubscribe. */
    subscribeTo(id: string, listener: () => void): () => void {
      const own = listeners.get(id) ?? new Set();
      listeners.set(id, own.add(listener));
      return () => {
        if (own.delete(listener) && own.size === 0 && listeners.get(id) === own) listeners.delete(id);
      };
    },
    notify(id: string): void {
      for (const listener of listeners.get(id) ?? []) listener();
    },
  };
}

/** The state of a store; `initial` on servers, and in a page's first rendering of what a server has rendered. */
export function useStoreState<State>(store: Pick<Store<State>, "subscribe" | "state">, initial: State): State {
  return useSyncExternalStore(store.subscribe, store.state, () => initial);
}

/** What `create` returns: the same value until one of `keys` changes. */
export function useOwned<Value>(create: () => Value, ...keys: readonly unknown[]): Value {
  const [owned, setOwned] = useState(() => ({ keys, value: create() }));
  if (keys.every((key, at) => key === owned.keys[at])) return owned.value;
  // During rendering, not in an effect: no rendering for one owner shows what is of another.
  const next = { keys, value: create() };
  setOwned(next);
  return next.value;
}

/** A layout effect in pages. Servers have no layout, and older versions of React warn of layout effects there. */
export const useBeforePaint = typeof window === "undefined" ? useEffect : useLayoutEffect;

/** A store that works as long as its component is mounted. */
export interface Disposable {
  /** Opens the store again. A new one is open already, for effects of components below. */
  open(): void;
  /** Aborts everything. Until the store is opened again nothing starts, so that no late call is left running. */
  close(): void;
}

/** Whether a store works; `onClose` runs after it is closed. */
export function createLifetime(onClose: () => void): Disposable & { isOpen(): boolean } {
  let isOpen = true;
  return {
    isOpen: () => isOpen,
    open() {
      isOpen = true;
    },
    close() {
      isOpen = false;
      onClose();
    },
  };
}

/** Ties a store to its component, whose effects StrictMode runs, cleans up and runs again. */
export function useLifetime(store: Disposable): void {
  useBeforePaint(() => {
    store.open();
    return () => store.close();
  }, [store]);
}

/**
 * Ties a store to its component until that unmounts. Of all effects only insertion effects end on unmount alone: the others
 * end as well while an `<Activity>` or a `<Suspense>` above hides the component.
 */
export function useMountedLifetime(store: Disposable): void {
  const mounted = useRef<Disposable>(undefined);
  useInsertionEffect(() => {
    mounted.current = store;
    store.open();
    return () => {
      mounted.current = undefined;
      // An insertion effect may not update components, which the end of their work does.
      queueMicrotask(() => {
        // Effects that ran again, as after an edit of the component, have not unmounted it.
        if (mounted.current !== store) store.close();
      });
    };
  }, [store]);
}

/**
 * The value of the latest rendering, for calls made between two renderings. It is current before any layout effect
 * runs: neither a passive nor a layout effect would do, as the layout effects of children run before both, and a child
 * that reacts to another account would still use the previous one.
 */
export function useLatest<Value>(value: Value): { readonly current: Value } {
  const latest = useRef(value);
  useInsertionEffect(() => {
    latest.current = value;
  });
  return latest;
}
