import { useEffect, useLayoutEffect } from "react";

/** A layout effect in pages. Servers have no layout, and older versions of React warn of layout effects there. */
export const useBeforePaint = typeof window === "undefined" ? useEffect : useLayoutEffect;

/** A store that works as long as its component is mounted. */
export interface Disposable {
  /** Opens the store again. A new one is open already, for effects of components below. */
  open(): void;
  /** Aborts everything. Until the store is opened again nothing starts, so that no late call is left running. */
  close(): void;
}

/** Ties a store to its component, whose effects StrictMode runs, cleans up and runs again. */
export function useLifetime(store: Disposable): void {
  useBeforePaint(() => {
    store.open();
    return () => store.close();
  }, [store]);
}
