/** A wallet in a page, or whatever else speaks EIP-1193. */
export interface Eip1193Provider {
  request(request: { method: string; params?: unknown }): Promise<unknown>;
}

/** A transaction as signers take it. */
export interface TransactionFields {
  type?: number;
  chainId: number;
  from?: string;
  to: string;
  data: string;
  value: bigint;
  nonce?: number;
  gasLimit?: bigint;
  gasPrice?: bigint;
  maxFeePerGas?: bigint;
  maxPriorityFeePerGas?: bigint;
}

/** A signer of ethers, with a provider or without one. One that signs is preferred to one that sends. */
export interface TransactionSigner {
  getAddress(): Promise<string> | string;
  signTransaction?(transaction: TransactionFields): Promise<string>;
  sendTransaction(transaction: TransactionFields): Promise<{ hash: string }>;
  /** Has a wallet send and gives the hash at once, as signers of ethers that stand for a wallet can. */
  sendUncheckedTransaction?(transaction: TransactionFields): Promise<string>;
  /** Asked about the chain where it has `send(method, params)`. */
  provider?: unknown;
}

/** Who pays. */
export type PaymentSigner = TransactionSigner | Eip1193Provider;

export function isEip1193(value: unknown): value is Eip1193Provider {
  return typeof value === "object" && value !== null && "request" in value && typeof value.request === "function";
}

export function isTransactionSigner(value: unknown): value is TransactionSigner {
  return (
    typeof value === "object" &&
    value !== null &&
    "getAddress" in value &&
    typeof value.getAddress === "function" &&
    "sendTransaction" in value &&
    typeof value.sendTransaction === "function"
  );
}
