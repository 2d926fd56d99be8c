import { useSyncExternalStore } from "react";

/** The share link that the page was opened with, until another screen is shown. In memory only: it contains a key. */
let received: string | undefined;
const listeners = new Set<() => void>();

/** Takes a share link out of the address bar and of this tab's history. */
function takeLink(): void {
  const { href, hash } = location;
  const isLink = hash.startsWith("#keeplight=");
  if (isLink) history.replaceState(null, "", href.slice(0, href.indexOf("#")));
  showLink(isLink ? href : undefined);
}

/** Shows a share link without putting it into the URL, from where browsers record it; `undefined` shows none. */
export function showLink(link: string | undefined): void {
  received = link;
  for (const listener of listeners) listener();
}

/** Shows a share link that was pasted or kept. The URL is that of no screen, so that a click on each leads away from the link. */
export function openLinkHere(link: string): void {
  const { href } = location;
  history.replaceState(null, "", href.split("#")[0]);
  showLink(link);
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
