import { Wallet } from "ethers";
import { type ReactElement, StrictMode } from "react";
import { inject, onTestFinished } from "vitest";
import { render } from "vitest-browser-react";
import { createApiKey, type KitDefaults } from "../../src/index.ts";
import { KitProvider } from "../../src/react/index.ts";

const { endpoints } = inject("devnet");

/** A new account with an API key, as options for a kit. */
export async function newAccount() {
  const signer = Wallet.createRandom();
  const apiKey = await createApiKey({ signer, endpoints });
  return { endpoints, apiKey, signer, pauseMs: 0, retryMs: 0 };
}

/** What a hook gave last. */
export interface Rendered<Value> {
  /** Of the latest rendering. */
  readonly now: Value;
  /** Every rendering so far. */
  readonly all: readonly Value[];
  unmount(): Promise<void>;
  /** Renders it anew with other options of the kit. */
  provide(options: KitDefaults): Promise<void>;
}

/** Renders a hook below a provider under StrictMode, which mounts it twice. */
export async function renderHook<Value>(use: () => Value, options: KitDefaults): Promise<Rendered<Value>> {
  const all: Value[] = [];
  function Probe(): ReactElement {
    all.push(use());
    return <p>rendered</p>;
  }
  const tree = (given: KitDefaults) => (
    <StrictMode>
      <KitProvider options={given}>
        <Probe />
      </KitProvider>
    </StrictMode>
  );
  const screen = await render(tree(options));
  return {
    get now() {
      return all.at(-1) as Value;
    },
    all,
    unmount: async () => void (await screen.unmount()),
    provide: async (given) => void (await screen.rerender(tree(given))),
  };
}

/** Fails a test in which React complains, for instance about an update after the end. */
export function watchConsole(): string[] {
  const heard: string[] = [];
  const { error, warn } = console;
  const hear = (...words: unknown[]) => void heard.push(words.map(String).join(" "));
  console.error = hear;
  console.warn = hear;
  onTestFinished(() => {
    console.error = error;
    console.warn = warn;
  });
  return heard;
}

/** Requests of this page, by whatever means. */
export interface Traffic {
  /** How many have begun and not ended. */
  open(): number;
  begun(): number;
  /** How many went to addresses with this text in them. */
  to(part: string): number;
}

const urls: string[] = [];
let ended = 0;
let dead: string | undefined;

// Whatever holds on to `fetch` does so when it first needs it, which is later than this.
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
  urls.push(String(call[1]));
  this.addEventListener("loadend", () => ended++);
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
