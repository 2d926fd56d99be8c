import type { DiscoveredWallet } from "keeplight";
import { watchWallets } from "keeplight/parts";
import type { WalletChoice } from "./eip-1193.ts";
import { createStore } from "./store.ts";

/** The wallets of this page as they announce themselves (EIP-6963). */
export interface WalletDiscovery {
  subscribe(listener: () => void): () => void;
  wallets(): readonly WalletChoice[];
}

/** No wallets. One object, so that a server's and a page's first rendering are the same. */
export const noWallets: readonly WalletChoice[] = [];

/** Listens while there are subscribers, and requests that wallets announce themselves. */
export function createWalletDiscovery(): WalletDiscovery {
  const store = createStore(noWallets, () =>
    watchWallets((announced) => {
      const wallet = toChoice(announced);
      const wallets = store.state();
      if (!wallets.some(({ id }) => id === wallet.id)) store.setState([...wallets, wallet]);
    }),
  );

  return { wallets: store.state, subscribe: store.subscribe };
}

function toChoice({ uuid, rdns, name, icon, provider }: DiscoveredWallet): WalletChoice {
  // A remote image would disclose the visitor to its host.
  const safeIcon = icon.startsWith("data:image/") ? { icon } : {};
  return { id: rdns === "" ? uuid : rdns, name, provider, ...safeIcon };
}
