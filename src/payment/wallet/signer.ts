/** A wallet in a page, or whatever else speaks EIP-1193. */
export interface Eip1193Provider {
  /** Asks the wallet: `eth_sendTransaction` … */
  request(request: { method: string; params?: unknown }): Promise<unknown>;
}

/** A transaction as signers take it. */
export interface TransactionFields {
  /** 0 for one with `gasPrice`, 2 for one with fees of EIP-1559. */
  type?: number;
  /** As in EIP-155. */
  chainId: number;
  /** The signer's address. */
  from?: string;
  /** The contract that is called, or that the coins go to. */
  to: string;
  /** Hex; `0x` for a mere transfer. */
  data: string;
  /** In the smallest unit of the chain's own coin, as all fees are. */
  value: bigint;
  /** How many transactions of the address come before it. */
  nonce?: number;
  /** The most gas it may use. */
  gasLimit?: bigint;
  /** For each unit of gas. */
  gasPrice?: bigint;
  /** The most for each unit of gas, base fee and tip together. */
  maxFeePerGas?: bigint;
  /** The tip for each unit of gas. */
  maxPriorityFeePerGas?: bigint;
}

/** A signer of ethers, with a provider or without one. One that signs is preferred to one that sends. */
export interface TransactionSigner {
  /** The address that pays. */
  getAddress(): Promise<string> | string;
  /** Gives the signed transaction, hex. */
  signTransaction?(transaction: TransactionFields): Promise<string>;
  /** Signs it, sends it, and gives its hash. */
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
