import "../../../test/support/few-iterations-in-page.ts";
import { Wallet } from "ethers";
import { type ReactElement, StrictMode } from "react";
import { inject, onTestFinished } from "vitest";
import { render } from "vitest-browser-react";
import { createApiKey, createKit, type KitDefaults } from "../../../src/index.ts";
import { KitProvider } from "../src/index.ts";

const { endpoints } = inject("devnet");

/** A new account with an API key, as options for a kit. */
export async function newAccount() {
  const signer = Wallet.createRandom();
  const apiKey = await createApiKey({ signer, endpoints });
  return { endpoints, apiKey, signer, pauseMs: 0, retryMs: 0 };
}

/** Lists the names of an account's files, sorted. */
export async function listNames(account: KitDefaults & { apiKey: string }): Promise<(string | null)[]> {
  return (await createKit(account).listFiles()).fileList.map(({ fileName }) => fileName).sort();
}

/** Renders a tree, and renders it again with other properties. */
export async function renderTree<Props>(create: (props: Props) => ReactElement, first: Props) {
  const screen = await render(create(first));
  onTestFinished(() => screen.unmount());
  return { show: async (props: Props) => void (await screen.rerender(create(props))), unmount: () => screen.unmount() };
}

/** What a hook has returned. */
export interface Rendered<Value> {
  /** In the latest rendering. */
  readonly now: Value;
  /** In every rendering so far. */
  readonly all: readonly Value[];
  unmount(): Promise<void>;
  /** Renders it again with other options of the kit. */
  provide(options: KitDefaults): Promise<void>;
}

/** Renders a hook below a provider under StrictMode, which mounts it twice. */
export async function renderHook<Value>(use: () => Value, options: KitDefaults): Promise<Rendered<Value>> {
  const all: Value[] = [];
  function Probe(): ReactElement {
    all.push(use());
    return <p>rendered</p>;
  }
  const createTree = (kitOptions: KitDefaults) => (
    <StrictMode>
      <KitProvider options={kitOptions}>
        <Probe />
      </KitProvider>
    </StrictMode>
  );
  const screen = await render(createTree(options));
  return {
    get now() {
      return all.at(-1) as Value;
    },
    all,
    unmount: async () => void (await screen.unmount()),
    provide: async (next) => void (await screen.rerender(createTree(next))),
  };
}

/** Collects what React writes to the console, such as a warning of an update after unmounting. */
export function watchConsole(): string[] {
  const messages: string[] = [];
  const { error, warn } = console;
  const collect = (...values: unknown[]) => void messages.push(values.map(String).join(" "));
  console.error = collect;
  console.warn = collect;
  onTestFinished(() => {
    console.error = error;
    console.warn = warn;
  });
  return messages;
}
