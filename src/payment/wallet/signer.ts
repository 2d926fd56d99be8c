import { wait } from "../../base/async/abort.ts";
import { type OptionSchema, resolveOptions, signal, wholeNumber } from "../../base/operation.ts";
import type { Eip1193ProviderLike, ViemClient } from "../../base/validation/signer.ts";
import { type DiscoveredWallet, watchWallets } from "../../network/ethereum/eip-6963.ts";

/** A transaction as signers accept it. */
export interface TransactionFields {
  /** 0 for one with `gasPrice`, 2 for one with fees of EIP-1559. */
  type?: number;
  /** As in EIP-155. */
  chainId: number;
  /** The signer's address. */
  from?: string;
  /** The contract to call, or the recipient of the coins. */
  to: string;
  /** Hex; `0x` for a plain transfer. */
  data: string;
  /** In the smallest unit of the chain's own coin, as all fees are. */
  value: bigint;
  /** How many transactions of the address precede it. */
  nonce?: number;
  /** The most gas it may use. */
  gasLimit?: bigint;
  /** Per unit of gas. */
  gasPrice?: bigint;
  /** The most per unit of gas, base fee and tip together. */
  maxFeePerGas?: bigint;
  /** The tip per unit of gas. */
  maxPriorityFeePerGas?: bigint;
}

/** An ethers signer, with or without a provider. Signing is preferred to sending. */
export interface TransactionSigner {
  /** The address that pays. */
  getAddress(): Promise<string> | string;
  /** Returns the signed transaction in hex. */
  signTransaction?(transaction: TransactionFields): Promise<string>;
  /** Signs and sends it, and returns its hash. */
  sendTransaction(transaction: TransactionFields): Promise<{
    /** Hash of the transaction. */
    hash: string;
  }>;
  /** Sends it by a wallet and returns the hash at once, as the wallet signers of ethers (`JsonRpcSigner`) can. */
  sendUncheckedTransaction?(transaction: TransactionFields): Promise<string>;
  /** Queried for the chain if it has `send(method, params)`. */
  provider?: unknown;
}

/** A local account of viem, or any other object with an address that signs transactions in viem's form. */
export interface ViemAccount {
  /** The address that pays. */
  address: string;
  /** Returns the signed transaction in hex. */
  signTransaction(transaction: ViemTransaction): Promise<string>;
}

/** A transaction as viem accepts it. */
export type ViemTransaction = {
  /** The chain that it is for. */
  chainId: number;
  /** Address of the contract, or of the receiver. */
  to: `0x${string}`;
  /** Call data. */
  data: `0x${string}`;
  /** How much of the chain's own coin it transfers, in the smallest unit. */
  value: bigint;
  /** Number of the transaction, counted per account. */
  nonce: number;
  /** Maximum gas. */
  gas: bigint;
} & (
  | {
      type: "legacy";
      /** Fee per unit of gas. */
      gasPrice: bigint;
    }
  | {
      type: "eip1559";
      /** The most per unit of gas, the tip included. */
      maxFeePerGas: bigint;
      /** The tip per unit of gas. */
      maxPriorityFeePerGas: bigint;
    }
);

/** Who pays. */
export type PaymentSigner = TransactionSigner | Eip1193ProviderLike | ViemAccount | ViemClient;

export function isTransactionSigner(value: unknown): value is TransactionSigner {
  if (typeof value !== "object" || value === null) return false;
  const { getAddress, sendTransaction } = value as Partial<TransactionSigner>;
  return typeof getAddress === "function" && typeof sendTransaction === "function";
}

export function isViemAccount(value: unknown): value is ViemAccount {
  if (typeof value !== "object" || value === null || "getAddress" in value) return false;
  const { address, signTransaction } = value as Partial<ViemAccount>;
  return typeof address === "string" && typeof signTransaction === "function";
}

export function signWithViem(account: ViemAccount, fields: TransactionFields): Promise<string> {
  const { chainId, to, data, value, nonce = 0, gasLimit = 0n, type, gasPrice = 0n } = fields;
  const { maxFeePerGas = 0n, maxPriorityFeePerGas = 0n } = fields;
  const common = { chainId, to: to as `0x${string}`, data: data as `0x${string}`, value, nonce, gas: gasLimit };
  return account.signTransaction(
    type === 0
      ? { ...common, type: "legacy", gasPrice }
      : { ...common, type: "eip1559", maxFeePerGas, maxPriorityFeePerGas },
  );
}

/** Options of {@link discoverWallets}. */
export interface DiscoverWalletsOptions {
  /** How long wallets have to respond, in milliseconds. @default 100 */
  waitMs?: number | undefined;
  /** Cancels the call, which throws `ABORTED`. @default none */
  signal?: AbortSignal | undefined;
}

const discoverSchema = { waitMs: wholeNumber(100), signal } satisfies OptionSchema<DiscoverWalletsOptions>;

/**
 * Discovers the wallets of this page, each once (EIP-6963). Returns none outside a page.
 *
 * @throws `INVALID_OPTION`, `ABORTED`
 *
 * @example
 * const [wallet] = await discoverWallets();
 * await payWithToken({ token: "usdc", size, signer: wallet.provider });
 */
export async function discoverWallets(options: DiscoverWalletsOptions = {}): Promise<DiscoveredWallet[]> {
  const { waitMs, signal } = resolveOptions(discoverSchema, options);
  if (typeof window === "undefined") return [];
  const found = new Map<string, DiscoveredWallet>();
  const stop = watchWallets((wallet) => {
    if (!found.has(wallet.uuid)) found.set(wallet.uuid, wallet);
  });
  try {
    await wait(waitMs, signal);
  } finally {
    stop();
  }
  return [...found.values()];
}
