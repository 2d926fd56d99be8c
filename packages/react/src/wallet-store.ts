import { type Eip1193Provider, type Eip1193ProviderLike, KeeplightError, type Signer } from "keeplight";
import { createProviderSigner, requestOnce } from "keeplight/parts";
import { toError } from "./errors.ts";
import { createStore } from "./store.ts";

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

/** No wallet. One object, so that a server's and a page's first rendering are the same. */
export const disconnected: { status: "disconnected" } = { status: "disconnected" };

/**
 * A connection to one wallet at a time.
 *
 * @param remembers - whether the wallet is kept for the next visit
 */
export function createWalletStore(remembers: boolean) {
  const store = createStore<WalletState>(disconnected, { onClose: disconnect });
  const { state, setState, isOpen } = store;
  /** The latest attempt to connect: another one, or an end, takes its place. */
  let attempt: object | undefined;
  /** Detaches from the current wallet. */
  let detach: (() => void) | undefined;

  function disconnect(): void {
    detach?.();
    detach = undefined;
    attempt = undefined;
    setState(disconnected);
  }

  async function connect(connectable: ConnectableWallet): Promise<void> {
    if (!isOpen()) return;
    const wallet = connectable as WalletChoice;
    detach?.();
    detach = undefined;
    setState({ status: "connecting", wallet });
    await establish(wallet, true);
  }

  /** Connects to a wallet, if it is that of the last visit and still shares its account. Never prompts. */
  async function reconnect(wallet: WalletChoice): Promise<void> {
    if (isOpen() && state() === disconnected && readRememberedWallet() === wallet.id) await establish(wallet, false);
  }

  async function establish(wallet: WalletChoice, isRequested: boolean): Promise<void> {
    const own = {};
    attempt = own;
    try {
      const found = await findConnection(wallet, isRequested);
      if (attempt !== own) return;
      if (!found) throw new Error("The wallet shares no account with this page");
      detach = follow(wallet);
      const signer = createProviderSigner(wallet.provider, found.address);
      setState({ status: "connected", wallet, ...found, signer });
      if (isRequested && remembers) rememberWallet(wallet.id);
    } catch (error) {
      if (attempt === own && isRequested) setState({ status: "failed", wallet, error: toError(error) });
    }
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
    ...store,
    connect,
    reconnect,
    disconnect(): void {
      rememberWallet(undefined);
      disconnect();
    },
  };
}

/**
 * Finds the account that a wallet shares with this page, and its chain; `undefined` without an account. If `prompts`, a
 * wallet that reports none is queried again, and prompts its user.
 */
async function findConnection({ provider }: WalletChoice, prompts: boolean) {
  const findAccount = async (method: string) => firstAccount(await requestOnce(provider, method));
  const shared = await findAccount("eth_accounts").catch(() => undefined);
  const address = shared ?? (prompts ? await findAccount("eth_requestAccounts") : undefined);
  return address === undefined
    ? undefined
    : { address, chainId: readChainId(await requestOnce(provider, "eth_chainId")) };
}

/** A wallet that one can connect to. */
export interface WalletChoice {
  /** The same for the same wallet each time: its reverse domain name where it has one. */
  id: string;
  /** For people. */
  name: string;
  /** Data URL of an image, where there is one. */
  icon?: string;
  /** What the kit talks to. */
  provider: Eip1193Provider;
}

/** A wallet whose provider may be of the type of any library. */
export type ConnectableWallet = Omit<WalletChoice, "provider"> & {
  /** What the kit talks to. */
  provider: Eip1193ProviderLike;
};

/** The first of a wallet's accounts, if the response has any. */
export function firstAccount(accounts: unknown): string | undefined {
  const first: unknown = Array.isArray(accounts) ? accounts[0] : undefined;
  return typeof first === "string" && first !== "" ? first : undefined;
}

/** Parses a chain id in the formats of wallets (hex, sometimes a number); throws `INVALID_RESPONSE`. */
function readChainId(value: unknown): number {
  const chainId = typeof value === "string" || typeof value === "number" ? Number(value) : Number.NaN;
  if (!Number.isSafeInteger(chainId)) throw new KeeplightError("INVALID_RESPONSE", "The wallet named no chain");
  return chainId;
}

const KEY = "keeplight.wallet";

/** The id of the wallet that this site was connected to last, if it may be reconnected. */
const readRememberedWallet = () => withStorage((storage) => storage.getItem(KEY) ?? undefined);

/** Remembers a wallet for the next visit; `undefined` forgets it. */
function rememberWallet(id: string | undefined): void {
  withStorage((storage) => (id === undefined ? storage.removeItem(KEY) : storage.setItem(KEY, id)));
}

/** A page may be denied its storage: then nothing is remembered. */
function withStorage<Result>(use: (storage: Storage) => Result): Result | undefined {
  try {
    return use(localStorage);
  } catch {
    return undefined;
  }
}
