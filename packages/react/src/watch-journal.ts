/** How often to look whether another tab has ended, in milliseconds: the end of its work frees it without a message. */
const POLL_MS = 3_000;

const getChannelName = (place: string) => `keeplight journal ${place}`;

/** Notifies the other tabs, and this one, that an operation of a journal started, ended or was released. */
export function notifyOfJournal(place: string): void {
  if (typeof BroadcastChannel === "undefined") return;
  const channel = new BroadcastChannel(getChannelName(place));
  channel.postMessage("changed");
  channel.close();
}

/**
 * Calls `listener` when a tab reports a change of a journal, when this page is shown again, and every few seconds while
 * it is shown and `polls` returns true.
 *
 * @returns how to stop
 */
export function watchJournal(place: string, polls: () => boolean, listener: () => void): () => void {
  // Elsewhere there are no other tabs.
  if (typeof document === "undefined") return () => undefined;
  const channel = new BroadcastChannel(getChannelName(place));
  channel.onmessage = listener;
  const onShown = () => document.visibilityState === "visible" && listener();
  const timer = setInterval(() => polls() && onShown(), POLL_MS);
  document.addEventListener("visibilitychange", onShown);
  window.addEventListener("focus", onShown);
  return () => {
    channel.close();
    clearInterval(timer);
    document.removeEventListener("visibilitychange", onShown);
    window.removeEventListener("focus", onShown);
  };
}
