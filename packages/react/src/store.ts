import { useInsertionEffect, useRef, useState, useSyncExternalStore } from "react";

/** Work that lasts as long as its component is mounted. */
export interface Disposable {
  /** Opens it again. What is new is open already, for effects of components below. */
  open(): void;
  /** Aborts everything. Until it is opened again nothing starts, so that no late call is left running. */
  close(): void;
}

/** A value outside React, in the shape that `useSyncExternalStore` expects, so that nothing late reaches a component. */
export interface Store<State> extends Disposable {
  /** Calls `listener` on each change; returns how to unsubscribe. */
  subscribe(listener: () => void): () => void;
  /** The same object until the next change. */
  state(): State;
  /** Replaces the state and notifies the listeners, unless it is the same one. */
  setState(next: State): void;
  isOpen(): boolean;
}

/** What runs at the turns of a store's life. */
interface StoreEvents {
  /** Runs when the first listener subscribes; its result runs when the last one has unsubscribed. */
  onListened?: () => () => void;
  /** Runs after the store is closed, before its state is the initial one again. */
  onClose?: () => void;
}

/** Creates a store. It has its initial state again when it is closed. */
export function createStore<State>(initial: State, { onListened, onClose }: StoreEvents = {}): Store<State> {
  const listeners = new Set<() => void>();
  let state = initial;
  let isOpen = true;
  let onUnlistened: (() => void) | undefined;

  function setState(next: State): void {
    if (next === state) return;
    state = next;
    for (const listener of listeners) listener();
  }

  return {
    subscribe(listener) {
      listeners.add(listener);
      if (listeners.size === 1) onUnlistened = onListened?.();
      return () => {
        if (listeners.delete(listener) && listeners.size === 0) onUnlistened?.();
      };
    },
    state: () => state,
    setState,
    isOpen: () => isOpen,
    open() {
      isOpen = true;
    },
    close() {
      isOpen = false;
      onClose?.();
      setState(initial);
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

/**
 * Ties work to its component until that unmounts. Of all effects only insertion effects end on unmount alone: the others
 * end as well while an `<Activity>` or a `<Suspense>` above hides the component.
 */
export function useLifetime(work: Disposable): void {
  const mounted = useRef<Disposable>(undefined);
  useInsertionEffect(() => {
    mounted.current = work;
    work.open();
    return () => {
      mounted.current = undefined;
      // An insertion effect may not update components, which the end of their work does.
      queueMicrotask(() => {
        // Effects that ran again, as after an edit of the component, have not unmounted it.
        if (mounted.current !== work) work.close();
      });
    };
  }, [work]);
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
