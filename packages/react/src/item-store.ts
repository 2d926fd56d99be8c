/** Listeners by the id of what they listen to, so that one item's change does not concern those of the others. */
export interface ItemStore {
  /** Calls `listener` on each change of the item; returns how to unsubscribe. */
  subscribeTo(id: string, listener: () => void): () => void;
  /** Notifies the listeners of one item. */
  notify(id: string): void;
}

export function createItemStore(): ItemStore {
  const listeners = new Map<string, Set<() => void>>();
  return {
    subscribeTo(id, listener) {
      const own = listeners.get(id) ?? new Set();
      listeners.set(id, own.add(listener));
      return () => {
        if (own.delete(listener) && own.size === 0 && listeners.get(id) === own) listeners.delete(id);
      };
    },
    notify(id) {
      for (const listener of listeners.get(id) ?? []) listener();
    },
  };
}
