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
