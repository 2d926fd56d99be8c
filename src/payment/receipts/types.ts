import type { NetworkName, PaymentToken } from "../../config/networks.ts";
import type { UnfinishedError } from "../../errors/unfinished.ts";
import type { CallOptions } from "../../options.ts";
import type { NetworkOptions } from "../price-options.ts";

/** What proves a payment. Plain data, for JSON. */
export interface PaymentReceipt {
  /** Names the payment: chain id, transaction and log index. A reorganisation does not change it. Credit each once. */
  id: string;
  /** The name of the chain in `networks`, if it has one. */
  network?: NetworkName;
  /** As in EIP-155. */
  chainId: number;
  /** The payment contract's address, lower-case. */
  contract: string;
  /** The currency of `amount`; absent for a token that the network's row does not list. */
  token?: PaymentToken;
  /** Of the token's contract, lower-case; zero for the chain's own coin. */
  tokenAddress: string;
  /** In the token's smallest unit, as a decimal string. */
  amount: string;
  /** The payer's address, lower-case: of the account that paid, which need not be the sender of the transaction. */
  sender: string;
  /** Of the transaction. */
  hash: string;
  /** Number of its block. */
  block: number;
  /** Of its block. */
  blockHash: string;
  /** Index of the contract's event among those of the transaction; `null` for coins that the contract took without an event. */
  logIndex: number | null;
  /** Of the block, in seconds since 1970. */
  timestamp: number;
  /** How many blocks confirm the payment, its own included. */
  confirmations: number;
}

/** Options of {@link verifyPayment}. `timeoutMs` limits each request to a node. */
export interface VerifyPaymentOptions extends CallOptions, NetworkOptions {
  /** What was to be paid with. @default `native` */
  token?: PaymentToken | undefined;
  /** Who was to pay. */
  sender: string;
  /** The least that was to be paid, in the token's smallest unit. */
  amount: bigint | number;
  /** How many blocks must confirm the payment, its own included. @default the network's, else 1 */
  confirmations?: number | undefined;
  /**
   * Which payment of the transaction: a smart account can make several in one.
   *
   * @default the first by `sender` in `token` of at least `amount`
   */
  logIndex?: number | undefined;
  /**
   * URL of the node to use instead of the network's, or of several. It is believed: use one that you trust.
   *
   * @default the network's
   */
  rpc?: string | readonly string[] | undefined;
}

/** Options of {@link listPayments}. `timeoutMs` limits each request to a node. */
export interface ListPaymentsOptions extends CallOptions, NetworkOptions {
  /** Number of the first block to search. Chains have many millions: choose one before the first payment. */
  fromBlock: number;
  /** Number of the last block to search. @default the latest */
  toBlock?: number | undefined;
  /**
   * URL of the node to use instead of the network's, or of several. It is believed: use one that you trust.
   *
   * @default the network's
   */
  rpc?: string | readonly string[] | undefined;
}

/** What may change when a list of payments is resumed. */
export type ResumeListOptions = Pick<ListPaymentsOptions, "signal" | "timeoutMs" | "rpc">;

/** A list of payments that is not complete. `details.payments` are those found before the block `details.fromBlock`. */
export type UnfinishedPaymentList = UnfinishedError<PaymentReceipt[], ResumeListOptions>;
