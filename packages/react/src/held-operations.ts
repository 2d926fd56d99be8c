import { createStore, type Store } from "./store.ts";

/**
 * The open operations of a journal that a component of this page holds, with a `retry` of its own: an upload that failed,
 * a share that is half done. They are not offered besides.
 */
export interface HeldOperations extends Pick<Store<ReadonlySet<string>>, "subscribe" | "state"> {
  /** Holds an operation; returns how to release it. Without an id it has no effect. */
  hold(id: string | undefined): () => void;
}

export function createHeldOperations(): HeldOperations {
  const holders = new Map<string, number>();
  const store = createStore<ReadonlySet<string>>(new Set());

  function change(id: string, by: 1 | -1): void {
    const count = (holders.get(id) ?? 0) + by;
    if (count > 0) holders.set(id, count);
    else holders.delete(id);
    store.setState(new Set(holders.keys()));
  }

  return {
    subscribe: store.subscribe,
    state: store.state,
    hold(id) {
      if (id === undefined) return () => undefined;
      change(id, 1);
      let isHeld = true;
      return () => {
        if (isHeld) change(id, -1);
        isHeld = false;
      };
    },
  };
}
