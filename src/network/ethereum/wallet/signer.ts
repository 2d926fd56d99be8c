import { invalidOption } from "../../../base/errors/input.ts";
import { type Eip1193ProviderLike, isEip1193, type ViemClient } from "../../../base/validation/signer.ts";

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
  /**
   * Returns the signed transaction in hex. Its argument has `chainId`, `to`, `data`, `value`, `nonce`, `gas`, and the fees
   * of its `type`: `gasPrice` of a `legacy` one, `maxFeePerGas` and `maxPriorityFeePerGas` of an `eip1559` one.
   */
  signTransaction: CallableFunction;
}

/** Who pays. */
export type PaymentSigner = TransactionSigner | Eip1193ProviderLike | ViemAccount | ViemClient;

function isTransactionSigner(value: unknown): value is TransactionSigner {
  if (typeof value !== "object" || value === null) return false;
  const { getAddress, sendTransaction } = value as Partial<TransactionSigner>;
  return typeof getAddress === "function" && typeof sendTransaction === "function";
}

export function isViemAccount(value: unknown): value is ViemAccount {
  if (typeof value !== "object" || value === null || "getAddress" in value) return false;
  const { address, signTransaction } = value as Partial<ViemAccount>;
  return typeof address === "string" && typeof signTransaction === "function";
}

/** Checks that `signer` can make payments; throws `INVALID_OPTION`. */
export function checkSigner(signer: unknown): PaymentSigner {
  if (isEip1193(signer) || isTransactionSigner(signer) || isViemAccount(signer)) return signer;
  throw invalidOption(
    "signer",
    "a signer of ethers that sends transactions, an account of viem, or a wallet with request()",
  );
}
