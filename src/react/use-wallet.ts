import { useState, useSyncExternalStore } from "react";
import type { WalletChoice } from "./eip-1193.ts";
import { useBeforePaint, useLifetime } from "./use-lifetime.ts";
import { createWalletDiscovery, noWallets } from "./wallet-discovery.ts";
import { createWalletStore, disconnected, type WalletState } from "./wallet-store.ts";

/** What {@link useWallet} gives. The functions stay the same ones for good. */
export interface UseWallet {
  /** Wallets that this page has, as they announce themselves (EIP-6963). */
  wallets: readonly WalletChoice[];
  /** The connection, which follows the wallet's account and chain. */
  state: WalletState;
  /** Connects to one of `wallets`, or to any other provider (EIP-1193); `state` tells how it goes. */
  connect(wallet: WalletChoice): Promise<void>;
  /** Forgets the wallet. (A page cannot take its permission back; wallets let their users do that.) */
  disconnect(): void;
}

/**
 * Finds the page's wallets, connects to one, and follows its account and chain.
 *
 * @example
 * const { wallets, state, connect } = useWallet();
 * if (state.status === "connected") return <KitProvider options={{ signer: state.signer }}>…</KitProvider>;
 * return wallets.map((wallet) => <button key={wallet.id} onClick={() => connect(wallet)}>{wallet.name}</button>);
 */
export function useWallet(): UseWallet {
  const [{ discovery, store }] = useState(() => ({ discovery: createWalletDiscovery(), store: createWalletStore() }));
  const [wallets, setWallets] = useState(noWallets);
  // Wallets answer at once, so they can be there when the page is first seen, and push nothing aside.
  useBeforePaint(() => {
    const show = () => setWallets(discovery.wallets());
    const leave = discovery.subscribe(show);
    show();
    return leave;
  }, [discovery]);
  const state = useSyncExternalStore(store.subscribe, store.state, () => disconnected);
  useLifetime(store);
  return { wallets, state, connect: store.connect, disconnect: store.disconnect };
}
