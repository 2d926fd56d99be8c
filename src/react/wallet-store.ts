import type { Signer } from "../index.ts";
import { chainIdOf, firstAccount, getAccount, readChainId, toSigner, type WalletChoice } from "./eip-1193.ts";
import { asError } from "./task-store.ts";
import type { Disposable } from "./use-lifetime.ts";

/** Where the connection to a wallet is. */
export type WalletState =
  | { status: "disconnected" }
  | { status: "connecting"; wallet: WalletChoice }
  | {
      status: "connected";
      wallet: WalletChoice;
      /** As the wallet writes it. */
      address: string;
      chainId: number;
      /** Signs messages for `address`: for `KitProvider`, `createApiKey` … A new one for each account. */
      signer: Signer;
    }
  | { status: "failed"; wallet: WalletChoice; error: Error };

/** A connection to one wallet at a time. Lives outside React; see `task-store.ts`. */
export interface WalletStore extends Disposable {
  subscribe(listener: () => void): () => void;
  state(): WalletState;
  connect(wallet: WalletChoice): Promise<void>;
  disconnect(): void;
}

/** No wallet. One object, so that a server's and a page's first rendering are the same. */
export const disconnected: { status: "disconnected" } = { status: "disconnected" };

export function createWalletStore(): WalletStore {
  const listeners = new Set<() => void>();
  let state: WalletState = disconnected;
  let leave: (() => void) | undefined;
  let isOpen = true;

  function setState(next: WalletState): void {
    state = next;
    for (const listener of listeners) listener();
  }

  function disconnect(): void {
    leave?.();
    leave = undefined;
    if (state !== disconnected) setState(disconnected);
  }

  async function connect(wallet: WalletChoice): Promise<void> {
    if (!isOpen) return;
    leave?.();
    let here = true;
    const stop = () => {
      here = false;
    };
    leave = stop;
    setState({ status: "connecting", wallet });
    try {
      const address = await getAccount(wallet.provider, true);
      if (address === undefined) throw new Error("The wallet shares no account with this page");
      const chainId = await chainIdOf(wallet.provider);
      if (!here) return;
      leave = follow(wallet);
      setState({ status: "connected", wallet, address, chainId, signer: toSigner(wallet.provider, address) });
    } catch (error) {
      if (here) setState({ status: "failed", wallet, error: asError(error) });
    }
  }

  /** Hears what changes in the wallet; gives how to stop hearing it. */
  function follow(wallet: WalletChoice): () => void {
    const { provider } = wallet;
    const onAccounts = (accounts: unknown) => {
      const address = firstAccount(accounts);
      if (state.status !== "connected") return;
      if (address === undefined) disconnect();
      else if (address.toLowerCase() !== state.address.toLowerCase()) {
        setState({ ...state, address, signer: toSigner(provider, address) });
      }
    };
    const onChain = (chain: unknown) => {
      if (state.status === "connected") setState({ ...state, chainId: readChainId(chain) });
    };
    const heard = { accountsChanged: onAccounts, chainChanged: onChain, disconnect };
    for (const [event, listener] of Object.entries(heard)) provider.on?.(event, listener);
    return () => {
      for (const [event, listener] of Object.entries(heard)) provider.removeListener?.(event, listener);
    };
  }

  return {
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    state: () => state,
    connect,
    disconnect,
    open() {
      isOpen = true;
    },
    close() {
      isOpen = false;
      disconnect();
    },
  };
}
