/** Anything that signs for an address: an ethers signer, or an object of one's own. */
export interface Signer {
  /** An EVM address, or a 44-character base58 one. */
  getAddress(): Promise<string> | string;
  /** Signs a string: by ERC-191 for an EVM address, by ed25519 for a base58 one. */
  signMessage(message: string): Promise<string>;
}

/** An account of viem that signs by itself, local or smart; or any object with an address that signs in viem's form. */
export interface ViemSigner {
  /** The address that it signs for. */
  address: string;
  /** `({ message }) => Promise<signature>`. */
  // Not typed in full: in a union with `Signer`, TypeScript could not infer the parameter of either.
  signMessage: CallableFunction;
}

/**
 * What can be a `signer`: one of ethers or one's own, an account of viem, a `WalletClient` of viem (as wagmi's
 * `useWalletClient` returns it), or a wallet's provider (EIP-1193), of which the first account signs.
 */
export type SignerLike = Signer | ViemSigner | ViemClient | Eip1193ProviderLike;

/** A wallet in a page, or any other provider that implements EIP-1193. */
export interface Eip1193Provider {
  /** Sends a request to the wallet: `eth_requestAccounts`, `personal_sign`, `eth_sendTransaction` … */
  request(request: {
    /** Name of the JSON-RPC method. */
    method: string;
    /** Its parameters, in order. */
    params?: readonly unknown[];
  }): Promise<unknown>;
  /** Subscribes to an event: `accountsChanged`, `chainChanged`. */
  on?(event: string, listener: (value: never) => void): unknown;
  /** Unsubscribes from an event. */
  removeListener?(event: string, listener: (value: never) => void): unknown;
}

/** A provider of any library's type, which may know the methods and events by name. */
export interface Eip1193ProviderLike {
  /** As in EIP-1193. */
  request(request: never): Promise<unknown>;
  /** As in EIP-1193. */
  on?(event: never, listener: never): unknown;
  /** As in EIP-1193. */
  removeListener?(event: never, listener: never): unknown;
}

export function isEip1193(value: unknown): value is Eip1193Provider {
  return typeof value === "object" && value !== null && "request" in value && typeof value.request === "function";
}

/** A `WalletClient` of viem, which wagmi's `useWalletClient` returns. With an account it acts for that account only. */
export interface ViemClient {
  /** The account that signs and pays; of a client without one, the first of its wallet. */
  account:
    | {
        /** Its EVM address. */
        address: string;
      }
    | undefined;
  /** As in EIP-1193. */
  request(request: never): Promise<unknown>;
}

/** Returns the account of a `WalletClient` of viem, which may only name it: then the wallet signs. */
export function getViemAccount(value: unknown): { address: string } | undefined {
  if (!isEip1193(value) || !("account" in value)) return undefined;
  const { account } = value;
  const isAccount = typeof account === "object" && account !== null && "address" in account;
  return isAccount && typeof account.address === "string" ? (account as { address: string }) : undefined;
}

/** What a client of viem sends its requests through; a `fallback` has several. */
interface ViemTransport {
  config?: { methods?: { include?: readonly string[]; exclude?: readonly string[] } | undefined } | undefined;
  request(request: object, options: { retryCount: number }): Promise<unknown>;
  value?: { transports?: readonly ViemTransport[] } | undefined;
}

/**
 * Sends a request to a wallet exactly once. A client of viem would repeat a failed request three times, and its
 * `fallback` would send it to the next transport, although the wallet may have sent the transaction.
 */
export async function requestOnce(wallet: Eip1193Provider, method: string, params?: readonly unknown[]) {
  const request = params ? { method, params } : { method };
  const isClient = "uid" in wallet && "transport" in wallet;
  // Other providers are passed nothing more: some have a second parameter of their own.
  if (!isClient && !("transports" in wallet)) return wallet.request(request);
  const transport = { request: wallet.request, value: isClient ? wallet.transport : wallet } as ViemTransport;
  return chooseTransport(transport, method).request(request, { retryCount: 0 });
}

/** The first of a fallback's transports that takes requests of this method. */
function chooseTransport(transport: ViemTransport, method: string): ViemTransport {
  const transports = transport.value?.transports ?? [];
  const [first] = transports;
  if (!first) return transport;
  const takes = ({ config }: ViemTransport) =>
    config?.methods?.include?.includes(method) ?? !config?.methods?.exclude?.includes(method);
  return chooseTransport(transports.find(takes) ?? first, method);
}

/** Whether `value` is a wallet's provider that acts for whichever account its user chooses. */
export function isFreeWallet(value: unknown): value is Eip1193Provider {
  return isEip1193(value) && !("getAddress" in value) && !getViemAccount(value);
}
