import type { NetworkName, PaymentToken } from "../../base/config/networks.ts";

/** Stands for the chain's own coin. */
export const NO_TOKEN = `0x${"0".repeat(40)}`;

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
