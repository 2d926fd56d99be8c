/** How often to look whether another tab has ended, in milliseconds: the end of its work frees it without a message. */
const POLL_MS = 3_000;

const getChannelName = (place: string) => `keeplight journal ${place}`;

/** Notifies the other tabs, and this one, that something of a journal was started, ended or let go. */
export function notifyOfJournal(place: string): void {
  if (typeof BroadcastChannel === "undefined") return;
  const channel = new BroadcastChannel(getChannelName(place));
  channel.postMessage("changed");
  channel.close();
}

/**
 * Calls `listener` when a tab reports a change of a journal, and when this page is shown again.
 *
 * @param polls - whether to call it every few seconds as well, while the page is shown
 * @returns how to stop
 */
export function watchJournal(place: string, polls: boolean, listener: () => void): () => void {
  const channel = typeof BroadcastChannel === "undefined" ? undefined : new BroadcastChannel(getChannelName(place));
  if (channel) channel.onmessage = listener;
  const onShown = () => document.visibilityState === "visible" && listener();
  const timer = polls ? setInterval(onShown, POLL_MS) : undefined;
  document.addEventListener("visibilitychange", onShown);
  window.addEventListener("focus", onShown);
  return () => {
    channel?.close();
    clearInterval(timer);
    document.removeEventListener("visibilitychange", onShown);
    window.removeEventListener("focus", onShown);
  };
}
