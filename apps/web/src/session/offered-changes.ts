import type { OpenOperation } from "keeplight";
import { useEffect, useSyncExternalStore } from "react";

/** Content ids of files whose half-done changes a screen offers to finish, by what offers them. */
const offers = new Map<object, readonly string[]>();
const listeners = new Set<() => void>();
let offered: ReadonlySet<string> = new Set();

/** Keeps half-done changes of these files out of the tray, while this component offers to finish them. */
export function useOfferChanges(cids: readonly string[]): void {
  const text = cids.join();
  useEffect(() => {
    if (text === "") return;
    const offer = {};
    offers.set(offer, text.split(","));
    publish();
    return () => {
      offers.delete(offer);
      publish();
    };
  }, [text]);
}

/** Whether a screen offers to finish an operation: a change of who may open files. */
export function useIsOffered(): (operation: OpenOperation) => boolean {
  const files = useSyncExternalStore(subscribe, () => offered);
  return ({ kind, cids }) => {
    const isChange = kind === "share" || kind === "revoke" || kind === "conditions";
    return isChange && cids.length > 0 && cids.every((cid) => files.has(cid));
  };
}

function publish(): void {
  offered = new Set([...offers.values()].flat());
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
