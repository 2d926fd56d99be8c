import type { Signer } from "keeplight";
import { createProviderSigner } from "keeplight/parts";
import {
  type ConnectableWallet,
  chainIdOf,
  firstAccount,
  getAccount,
  readChainId,
  type WalletChoice,
} from "./eip-1193.ts";
import { readRememberedWallet, rememberWallet } from "./remembered-wallet.ts";
import { createStore, type Store } from "./store.ts";
import { toError } from "./to-error.ts";
import type { Disposable } from "./use-lifetime.ts";

/** The state of the connection to a wallet. */
export type WalletState =
  | { status: "disconnected" }
  | {
      status: "connecting";
      /** The wallet that was asked. */
      wallet: WalletChoice;
    }
  | {
      status: "connected";
      /** The wallet. */
      wallet: WalletChoice;
      /** As the wallet formats it. */
      address: string;
      /** The chain that the wallet is on. */
      chainId: number;
      /** Signs messages for `address`: for `KitProvider`, `createApiKey` … A new one for each account. */
      signer: Signer;
    }
  | {
      status: "failed";
      /** The wallet that was asked. */
      wallet: WalletChoice;
      /** Why it did not connect. */
      error: Error;
    };

/** A connection to one wallet at a time. Lives outside React; see `task-store.ts`. */
export interface WalletStore extends Disposable, Pick<Store<WalletState>, "subscribe" | "state"> {
  connect(wallet: ConnectableWallet): Promise<void>;
  /** Connects to the wallet of the last visit, if it is among these and still shares its account. Never prompts. */
  reconnect(wallets: readonly WalletChoice[]): Promise<void>;
  disconnect(): void;
}

/** No wallet. One object, so that a server's and a page's first rendering are the same. */
export const disconnected: { status: "disconnected" } = { status: "disconnected" };

/** Creates a store. If `remembers`, the wallet is kept for the next visit. */
export function createWalletStore(remembers: boolean): WalletStore {
  const { subscribe, state, setState } = createStore<WalletState>(disconnected);
  /** Detaches from the current wallet. */
  let detach: (() => void) | undefined;
  let isOpen = true;
  let isReconnecting = false;

  function disconnect(): void {
    detach?.();
    detach = undefined;
    setState(disconnected);
  }

  async function connect(connectable: ConnectableWallet): Promise<void> {
    if (!isOpen) return;
    const wallet = connectable as WalletChoice;
    detach?.();
    let isCurrent = true;
    detach = () => {
      isCurrent = false;
    };
    setState({ status: "connecting", wallet });
    try {
      const address = (await findSharedAccount(wallet)) ?? (await getAccount(wallet.provider, true));
      if (address === undefined) throw new Error("The wallet shares no account with this page");
      const chainId = await chainIdOf(wallet.provider);
      if (!isCurrent) return;
      show(wallet, address, chainId);
      if (remembers) rememberWallet(wallet.id);
    } catch (error) {
      if (isCurrent) setState({ status: "failed", wallet, error: toError(error) });
    }
  }

  async function reconnect(wallets: readonly WalletChoice[]): Promise<void> {
    const wallet = wallets.find(({ id }) => id === readRememberedWallet());
    if (!isOpen || !wallet || isReconnecting || state() !== disconnected) return;
    isReconnecting = true;
    try {
      const address = await findSharedAccount(wallet);
      if (address === undefined) return;
      const chainId = await chainIdOf(wallet.provider);
      if (isOpen && state() === disconnected && readRememberedWallet() === wallet.id) show(wallet, address, chainId);
    } catch {
      // Nobody has asked for this connection.
    } finally {
      isReconnecting = false;
    }
  }

  function show(wallet: WalletChoice, address: string, chainId: number): void {
    detach = follow(wallet);
    setState({ status: "connected", wallet, address, chainId, signer: createProviderSigner(wallet.provider, address) });
  }

  /** Follows the wallet's account and chain; returns how to stop. */
  function follow({ provider }: WalletChoice): () => void {
    const onAccounts = (accounts: unknown) => {
      const current = state();
      const address = firstAccount(accounts);
      if (current.status !== "connected") return;
      if (address === undefined) disconnect();
      else if (address.toLowerCase() !== current.address.toLowerCase()) {
        setState({ ...current, address, signer: createProviderSigner(provider, address) });
      }
    };
    const onChain = (chain: unknown) => {
      const current = state();
      if (current.status === "connected") setState({ ...current, chainId: readChainId(chain) });
    };
    const listeners = { accountsChanged: onAccounts, chainChanged: onChain, disconnect };
    for (const [event, listener] of Object.entries(listeners)) provider.on?.(event, listener);
    return () => {
      for (const [event, listener] of Object.entries(listeners)) provider.removeListener?.(event, listener);
    };
  }

  return {
    subscribe,
    state,
    connect,
    reconnect,
    disconnect() {
      rememberWallet(undefined);
      disconnect();
    },
    open() {
      isOpen = true;
    },
    close() {
      isOpen = false;
      disconnect();
    },
  };
}

/** The account that a wallet already shares with this page; a wallet that reports none is queried again with a prompt. */
async function findSharedAccount({ provider }: WalletChoice): Promise<string | undefined> {
  return getAccount(provider, false).catch(() => undefined);
}
