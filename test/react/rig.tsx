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
