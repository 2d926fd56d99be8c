import type { DiscoveredWallet } from "keeplight";
import { watchWallets } from "keeplight/parts";
import { useEffect, useLayoutEffect, useState } from "react";
import { useLifetime, useStoreState } from "./store.ts";
import {
  type ConnectableWallet,
  createWalletStore,
  disconnected,
  type WalletChoice,
  type WalletState,
} from "./wallet-store.ts";

/** What {@link useWallet} returns. The functions keep their identity. */
export interface UseWallet {
  /** The wallets that announce themselves to this page (EIP-6963). */
  wallets: readonly WalletChoice[];
  /** The connection, which follows the wallet's account and chain. */
  state: WalletState;
  /**
   * Connects to one of `wallets`, or to any other provider (EIP-1193); the outcome is in `state`. Prompts only if the
   * wallet does not share an account with this page yet.
   */
  connect(wallet: ConnectableWallet): Promise<void>;
  /** Forgets the wallet, also for the next visit. (A page cannot revoke its own permission; users do that in the wallet.) */
  disconnect(): void;
}

/** Options of {@link useWallet}. */
export interface UseWalletOptions {
  /**
   * Whether to connect to the wallet of the last visit again, without a prompt, as soon as it announces itself. Its id is
   * kept in `localStorage`; without this option nothing is. Read on mount.
   *
   * @default true
   */
  reconnect?: boolean | undefined;
}

/**
 * Finds the page's wallets, connects to one, and follows its account and chain.
 *
 * @example
 * const { wallets, state, connect } = useWallet();
 * if (state.status === "connected") return <KitProvider options={{ signer: state.signer }}>…</KitProvider>;
 * return wallets.map((wallet) => <button key={wallet.id} onClick={() => connect(wallet)}>{wallet.name}</button>);
 */
export function useWallet({ reconnect = true }: UseWalletOptions = {}): UseWallet {
  const [store] = useState(() => createWalletStore(reconnect));
  const [wallets, setWallets] = useState(noWallets);
  useLifetime(store);
  // Wallets announce themselves synchronously, so the first paint shows them already: the layout does not shift.
  useBeforePaint(() => {
    return watchWallets((announced) => {
      const wallet = toChoice(announced);
      setWallets((known) => (known.some(({ id }) => id === wallet.id) ? known : [...known, wallet]));
      if (reconnect) void store.reconnect(wallet);
    });
  }, [store, reconnect]);
  const state = useStoreState<WalletState>(store, disconnected);
  return { wallets, state, connect: store.connect, disconnect: store.disconnect };
}

/** A layout effect in pages. Servers have no layout, and older versions of React warn of layout effects there. */
const useBeforePaint = typeof window === "undefined" ? useEffect : useLayoutEffect;

/** No wallets. One object, so that a server's and a page's first rendering are the same. */
const noWallets: readonly WalletChoice[] = [];

function toChoice({ uuid, rdns, name, icon, provider }: DiscoveredWallet): WalletChoice {
  // A remote image would disclose the visitor to its host.
  const safeIcon = icon.startsWith("data:image/") ? { icon } : {};
  return { id: rdns === "" ? uuid : rdns, name, provider, ...safeIcon };
}
