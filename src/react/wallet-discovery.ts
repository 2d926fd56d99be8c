import type { Eip1193Provider, WalletChoice } from "./eip-1193.ts";
import { createStore } from "./store.ts";

const ANNOUNCE = "eip6963:announceProvider";
const REQUEST = "eip6963:requestProvider";

/** The wallets of this page as they announce themselves (EIP-6963). */
export interface WalletDiscovery {
  subscribe(listener: () => void): () => void;
  wallets(): readonly WalletChoice[];
}

/** No wallets. One object, so that a server's and a page's first rendering are the same. */
export const noWallets: readonly WalletChoice[] = [];

/** Listens while somebody does, and asks wallets to announce themselves. */
export function createWalletDiscovery(): WalletDiscovery {
  const store = createStore(noWallets, () => {
    window.addEventListener(ANNOUNCE, onAnnounce);
    window.dispatchEvent(new Event(REQUEST));
    return () => window.removeEventListener(ANNOUNCE, onAnnounce);
  });

  function onAnnounce(event: Event): void {
    const wallet = readAnnouncement((event as CustomEvent<unknown>).detail);
    const wallets = store.state();
    if (wallet && !wallets.some(({ id }) => id === wallet.id)) store.setState([...wallets, wallet]);
  }

  return { wallets: store.state, subscribe: store.subscribe };
}

/** Any script of the page may dispatch the event: what is no wallet is passed over. */
function readAnnouncement(detail: unknown): WalletChoice | undefined {
  if (typeof detail !== "object" || detail === null || !("info" in detail) || !("provider" in detail)) return undefined;
  const { info, provider } = detail;
  if (typeof info !== "object" || info === null || !isProvider(provider)) return undefined;
  const { uuid, rdns, name, icon } = info as Record<string, unknown>;
  const id = typeof rdns === "string" && rdns !== "" ? rdns : uuid;
  if (typeof id !== "string" || typeof name !== "string") return undefined;
  // An image from elsewhere would tell that elsewhere about the visitor.
  return { id, name, provider, ...(typeof icon === "string" && icon.startsWith("data:image/") ? { icon } : {}) };
}

function isProvider(value: unknown): value is Eip1193Provider {
  return typeof value === "object" && value !== null && "request" in value && typeof value.request === "function";
}
