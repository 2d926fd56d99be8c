import { useSyncExternalStore } from "react";

/** The share link that the page was opened with, until another screen is shown. In memory only: it contains a key. */
let received: string | undefined;
const listeners = new Set<() => void>();

/** Takes a share link out of the address bar and the history, so that it is neither synchronised nor seen. */
function takeLink(): void {
  const { href, hash, pathname, search } = location;
  received = hash.startsWith("#keeplight=") ? href : undefined;
  if (received !== undefined) history.replaceState(null, "", pathname + search);
  for (const listener of listeners) listener();
}

takeLink();
window.addEventListener("hashchange", takeLink);

/** Returns the share link to show instead of the current screen. */
export function useReceivedLink(): string | undefined {
  return useSyncExternalStore(subscribe, () => received);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
