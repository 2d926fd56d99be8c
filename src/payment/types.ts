import type { PaymentToken, TokenContract } from "../base/config/networks.ts";
import type { ResolvedNetwork } from "../base/config/resolve-network.ts";

/** A transaction of a payment: `reset-allowance` only if the token requires it, `approve` only if not yet approved. */
export type PaymentStep = "reset-allowance" | "approve" | "pay";

/** What the caller may request for an open transaction. */
export type PaymentAction = "speed-up" | "cancel" | "give-up";

/** Progress of a payment. */
export interface PaymentProgress {
  /** The current step. */
  phase: "checking" | PaymentStep;
  /** State of the phase's transaction: being signed, sent, or mined with the requested confirmations. */
  state?: "signing" | "sent" | "confirmed";
  /** Hash of the phase's transaction, once known. */
  hash?: string;
  /** URL of the transaction in the network's explorer. */
  link?: string;
  /** 0 to 1, never decreasing; 1 only when the payment is confirmed. */
  fraction: number;
}

/** A transaction of a completed payment. */
export interface PaymentTransaction {
  /** Its purpose. */
  step: PaymentStep;
  /** Of the transaction. */
  hash: string;
  /** Number of its block. */
  block: number;
  /** In the smallest unit of the chain's own coin. */
  fee: bigint;
  /** URL of the transaction in the network's explorer; empty if the network has none. */
  link: string;
}

/** The payment contract's event for a payment. */
export interface ReceivedPayment {
  /** Lower-case. */
  sender: string;
  /** Lower-case; zero for the chain's own coin. */
  tokenAddress: string;
  /** The contract's number for the payment. */
  txId: bigint;
  /** In the token's smallest unit. */
  amount: bigint;
  /** Seconds since 1970. */
  timestamp: bigint;
  /** Hex; empty in every known payment. */
  data: string;
}

/** A completed payment. */
export interface Payment extends Pick<PaymentTransaction, "block" | "link"> {
  /** Of the transaction that paid. */
  hash: string;
  /** In the token's smallest unit. */
  amount: bigint;
  /** The currency of `amount`. */
  token: PaymentToken;
  /** Of the chain that the payment is on. */
  chainId: number;
  /** The payer's address, lower-case. */
  from: string;
  /** The payment contract's address, lower-case. */
  contract: string;
  /** Sum over all transactions, in the smallest unit of the chain's own coin. */
  fee: bigint;
  /** The contract's event. Contracts need not emit one for the chain's own coin. */
  event?: ReceivedPayment;
  /**
   * Hashes of payments by attempts that were given up by the caller, and that the wallet made nonetheless: the order was
   * paid more than once.
   */
  duplicates?: string[];
  /**
   * What the coin's price was compared with, if `amount` was computed from it: a price feed on the chain, or nothing,
   * because there is none or `maxAmount` was set.
   */
  priceCheck?: "feed" | "none";
  /** In order; the last one paid. */
  transactions: [PaymentTransaction, ...PaymentTransaction[]];
}

/** A payment of a journal that is complete now. */
export interface ResumedPayment {
  /** The one of its call, if it had one. */
  orderId?: string | undefined;
  /** What the interrupted call would have returned. */
  payment: Payment;
}

/** A payment of a journal that could not be completed. */
export interface FailedPayment extends Pick<ResumedPayment, "orderId"> {
  /** Why; see {@link payWithToken}. */
  error: unknown;
}

/** One transaction that a payment requires. Fees are in the smallest unit of the chain's own coin. */
export interface EstimatedStep {
  /** Its purpose. */
  step: PaymentStep;
  /** How much gas it uses. */
  gas: bigint;
  /**
   * Whether `gas` is typical, not measured: the node can estimate a transaction only if it would succeed now, which a
   * payment before its approval, or of more than the payer has, would not. It is then as much as the payment itself
   * reserves: three times the gas of an approval.
   */
  isTypical: boolean;
  /** Its network fee in the next block, with `l1Fee`. */
  fee: bigint;
  /** What a chain of the OP Stack charges for the data in addition to the gas, with 25 % headroom; 0 on other chains. */
  l1Fee: bigint;
}

/** What the payer lacks. */
export interface MissingFunds {
  /** The token, or the symbol of the chain's own coin. */
  asset: string;
  /** In its smallest unit. */
  amount: bigint;
}

/** What a payment would cost. */
export interface PaymentEstimate extends Pick<Payment, "token" | "amount" | "from" | "priceCheck"> {
  /** How many digits of `amount` are after the decimal point. */
  decimals: number;
  /** Of the chain's own coin, in which fees are paid. */
  symbol: string;
  /** The transactions, in order; the last one pays. */
  steps: [EstimatedStep, ...EstimatedStep[]];
  /** Network fees of all steps in the next block, in the smallest unit of the chain's own coin. */
  fee: bigint;
  /** The most that network fees may come to, which the balance must cover: a `maxFee` below it may be refused. */
  maxFee: bigint;
  /** What the payment takes of the chain's own coin: `fee`, and the amount if that is in the coin. */
  total: bigint;
  /** In US dollars: exact decimal strings. Absent if the price service has no price of the coin. */
  usd?: {
    /** The payment without fees. */
    amount: string;
    /** Network fees of all steps. */
    fee: string;
    /** Both together. */
    total: string;
  };
  /** Whether the balances cover the amount and `maxFee`. */
  isAffordable: boolean;
  /** What they lack, of the token and of the coin. */
  missing: MissingFunds[];
}

/** What a payment is for. */
export interface Order {
  network: ResolvedNetwork;
  token: PaymentToken;
  /** Undefined for the chain's own coin. */
  tokenContract: TokenContract | undefined;
  amount: bigint;
  /**
   * Bytes of storage, as a decimal string, if the amount is their price: it was computed with the decimals of the
   * network's row, which must then equal the token's.
   */
  size: string | undefined;
  /** US dollars for one coin that the amount was computed from in this process. */
  usdPerCoin?: number | undefined;
  /** What that price was compared with, once it was. */
  priceCheck?: Payment["priceCheck"] | undefined;
  /** Appended to the call data of the payment, as 64 hex digits. */
  mark?: string | undefined;
  /** The first block that its payment may be in, if that is known. */
  fromBlock?: number | undefined;
  /** The only address that may pay it, lower-case. Default any. */
  payer?: string | undefined;
  /** When nothing is started for it any more, in milliseconds since 1970. */
  expiresAt?: number | undefined;
  /** When the amount was quoted, by `performance.now()`. */
  quotedAt: number;
  /** Quotes the amount again; throws as for the first time. */
  quoteAmount(): Promise<bigint>;
}
