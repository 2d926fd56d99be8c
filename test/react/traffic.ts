import { onTestFinished } from "vitest";

/** Requests of this page, by whatever means. */
export interface Traffic {
  /** How many have begun and not ended. */
  open(): number;
  begun(): number;
  /** How many went to addresses with this text in them. */
  to(part: string): number;
}

/** Where nobody listens. */
const NOWHERE = "http://127.0.0.1:1/";

const urls: string[] = [];
let ended = 0;
let dead: string | undefined;

// A setup file: whatever holds on to `fetch` is loaded after this.
const { fetch } = window;
window.fetch = async (input, init) => {
  const url = input instanceof Request ? input.url : String(input);
  urls.push(url);
  try {
    if (dead !== undefined && url.includes(dead)) throw new TypeError("Failed to fetch");
    return await fetch(input, init);
  } finally {
    ended++;
  }
};
const { open } = XMLHttpRequest.prototype;
XMLHttpRequest.prototype.open = function (this: XMLHttpRequest, ...call: Parameters<typeof open>) {
  const url = String(call[1]);
  urls.push(url);
  this.addEventListener("loadend", () => ended++);
  if (dead !== undefined && url.includes(dead)) call[1] = NOWHERE;
  open.apply(this, call);
} as typeof open;

/** Counts requests from now on. */
export function watchRequests(): Traffic {
  const before = urls.length;
  return {
    open: () => urls.length - ended,
    begun: () => urls.length - before,
    to: (part) => urls.slice(before).filter((url) => url.includes(part)).length,
  };
}

/** Lets requests to addresses with this text in them fail, until the function that comes back is called. */
export function breakRequests(part: string): () => void {
  dead = part;
  const mend = () => {
    dead = undefined;
  };
  onTestFinished(mend);
  return mend;
}
