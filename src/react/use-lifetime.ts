import { useEffect, useLayoutEffect } from "react";

/** On a server there is no layout, of which older versions of React warn. */
export const useBeforePaint = typeof window === "undefined" ? useEffect : useLayoutEffect;

/** What works for a component for as long as that is there. */
export interface Disposable {
  /** Lets it work, again if need be. It can from the start, for effects of components below. */
  open(): void;
  /** Ends what is going on. Until it is opened again, nothing begins: no call that comes late is left running. */
  close(): void;
}

/** Ties a store to its component, whose effects StrictMode runs, ends and runs again. */
export function useLifetime(store: Disposable): void {
  useBeforePaint(() => {
    store.open();
    return () => store.close();
  }, [store]);
}
