import type { PaymentToken } from "../../config/networks.ts";
import type { CallOptions } from "../../options.ts";
import type { NetworkOptions, RateOptions } from "../price-options.ts";
import type { AmountOptions, PaymentStep } from "../types.ts";
import type { PaymentSigner } from "../wallet/signer.ts";

/** Options of {@link estimatePayment}. */
export type EstimateOptions = CallOptions &
  NetworkOptions &
  RateOptions &
  AmountOptions & {
    /** What to pay with. */
    token: PaymentToken;
    /** The payer's address. Takes precedence over `privateKey` and `signer`. @default none */
    address?: string | undefined;
    /** The payer's private key, 64 hex characters: only its address is used. @default none */
    privateKey?: string | undefined;
    /**
     * The payer. A wallet of the page is only asked which accounts it has already shown (`eth_accounts`).
     *
     * @default none
     */
    signer?: PaymentSigner | undefined;
    /** URL of the node to use instead of the network's, or of several. @default the network's */
    rpc?: string | readonly string[] | undefined;
  };

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
export interface PaymentEstimate {
  /** The currency of `amount`. */
  token: PaymentToken;
  /** In the token's smallest unit. */
  amount: bigint;
  /** How many digits of `amount` are after the decimal point. */
  decimals: number;
  /** The payer's address, lower-case. */
  from: string;
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
