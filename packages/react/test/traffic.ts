import { onTestFinished } from "vitest";

/** Requests of this page, by `fetch` or XMLHttpRequest. */
export interface Traffic {
  /** How many have started and not ended. */
  countOpen(): number;
  countStarted(): number;
  /** How many had this string in their URL. */
  countTo(part: string): number;
}

/** A port on which nothing listens. */
const UNREACHABLE = "http://127.0.0.1:1/";

const urls: string[] = [];
let ended = 0;
let blocked: string | undefined;
let held: { part: string; released: Promise<void> } | undefined;

/** Waits while requests to this URL are held. */
async function waitForRelease(url: string): Promise<void> {
  if (held && url.includes(held.part)) await held.released;
}

// A setup file: loaded before any code that keeps a reference to `fetch`.
const { fetch } = window;
window.fetch = async (input, init) => {
  const url = input instanceof Request ? input.url : String(input);
  urls.push(url);
  try {
    await waitForRelease(url);
    if (blocked !== undefined && url.includes(blocked)) throw new TypeError("Failed to fetch");
    return await fetch(input, init);
  } finally {
    ended++;
  }
};
const { open, send } = XMLHttpRequest.prototype;
const urlOf = new WeakMap<XMLHttpRequest, string>();
XMLHttpRequest.prototype.open = function (this: XMLHttpRequest, ...call: Parameters<typeof open>) {
  const url = String(call[1]);
  urls.push(url);
  urlOf.set(this, url);
  this.addEventListener("loadend", () => ended++);
  if (blocked !== undefined && url.includes(blocked)) call[1] = UNREACHABLE;
  open.apply(this, call);
} as typeof open;
XMLHttpRequest.prototype.send = function (this: XMLHttpRequest, body) {
  void waitForRelease(urlOf.get(this) ?? "").then(() => {
    if (this.readyState === XMLHttpRequest.OPENED) send.call(this, body);
  });
};

/** Counts requests from now on. */
export function watchRequests(): Traffic {
  const before = urls.length;
  return {
    countOpen: () => urls.length - ended,
    countStarted: () => urls.length - before,
    countTo: (part) => urls.slice(before).filter((url) => url.includes(part)).length,
  };
}

/** Makes requests with this string in their URL fail; returns how to let them through again. */
export function breakRequests(part: string): () => void {
  blocked = part;
  const restore = () => {
    blocked = undefined;
  };
  onTestFinished(restore);
  return restore;
}

/** Sends requests with this string in their URL only after the returned function was called. */
export function holdRequests(part: string): () => void {
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  held = { part, released };
  const restore = () => {
    held = undefined;
    release();
  };
  onTestFinished(restore);
  return restore;
}
