import type { PaymentNetwork, PaymentToken, TokenContract } from "../config/networks.ts";
import type { UnfinishedError } from "../errors/unfinished.ts";
import type { CallOptions } from "../options.ts";
import type { NetworkOptions } from "./chain/network.ts";
import type { RateOptions } from "./price.ts";
import type { PaymentSigner } from "./wallet/signer.ts";

/** A transaction of a payment: `reset-allowance` only with tokens that want it, `approve` only where it is not yet. */
export type PaymentStep = "reset-allowance" | "approve" | "pay";

/** How far a payment is. */
export interface PaymentProgress {
  /** What is being done. */
  phase: "checking" | PaymentStep;
  /** Of the phase's transaction: being signed, sent, in the chain with as many confirmations as wanted. */
  state?: "signing" | "sent" | "confirmed";
  /** Of the phase's transaction, once it is known. */
  hash?: string;
  /** To the transaction in the network's explorer. */
  link?: string;
  /** 0 to 1, never falling; 1 only when the payment is confirmed. */
  fraction: number;
}

/** How to wait for transactions. */
export interface WaitOptions {
  /** Blocks that a transaction is to be in and under, itself counted. Default 1. */
  confirmations?: number | undefined;
  /** How long to wait for each transaction, in milliseconds. Default 600,000 (ten minutes). */
  waitMs?: number | undefined;
  /** Pause between two looks at a transaction, in milliseconds. Default 2,000. */
  pollMs?: number | undefined;
  /** Notified of each step. What it throws, or what a promise it returns rejects with, is ignored. */
  onProgress?: ((progress: PaymentProgress) => void) | undefined;
}

/** What a payment may cost besides its amount. */
export interface FeeOptions {
  /**
   * The most that all transactions of the payment may cost in network fees, in the smallest unit of the chain's own coin.
   * It limits what is signed; before a wallet is asked, which chooses its fees itself, it limits what the node suggests.
   *
   * @default several times what the busiest hours cost: 10 coins on Fantom and Polygon, 0.05 BNB, 0.01 ETH on Optimism,
   * 5 FIL, 50 on Filecoin's testnets, a tenth of a coin (10^17) on other chains
   */
  maxFee?: bigint | number | undefined;
}

/** Who pays. A private key goes before a signer. */
export type PayerOptions =
  | {
      /** An ethers signer, or a wallet of the page (EIP-1193). */
      signer: PaymentSigner;
      privateKey?: undefined;
    }
  | {
      /** 64 hex characters, with `0x` before them or not. It never leaves this process. */
      privateKey: string;
      signer?: undefined;
    };

/** How much is paid. */
export type AmountOptions =
  | {
      /** In the token's smallest unit. */
      amount: bigint | number;
      size?: undefined;
    }
  | {
      /** Bytes of storage to pay for, at the price of {@link getPrice}. */
      size: bigint | number;
      amount?: undefined;
    };

/** Options of {@link payWithToken}. `timeoutMs` limits each request to a node. */
export type PayOptions = CallOptions &
  NetworkOptions &
  WaitOptions &
  FeeOptions &
  PayerOptions &
  AmountOptions &
  RateOptions & {
    /** What to pay with. */
    token: PaymentToken;
    /** URL of the node to ask, instead of the signer's own or the network's. */
    rpc?: string | undefined;
    /** The most to pay, in the token's smallest unit; network fees are limited by `maxFee`. Default no limit. */
    maxAmount?: bigint | number | undefined;
  };

/** A transaction of a payment that is done. */
export interface PaymentTransaction {
  /** What it was for. */
  step: PaymentStep;
  /** Of the transaction. */
  hash: string;
  /** Number of its block. */
  block: number;
  /** In the smallest unit of the chain's own coin. */
  fee: bigint;
  /** To the transaction in the network's explorer; empty where the network has none. */
  link: string;
}

/** What the payment contract said of a payment. */
export interface ReceivedPayment {
  /** Lower-case. */
  sender: string;
  /** Lower-case; zero for the chain's own coin. */
  tokenAddress: string;
  /** The contract's number of the payment. */
  txId: bigint;
  /** In the token's smallest unit. */
  amount: bigint;
  /** Seconds since 1970. */
  timestamp: bigint;
  /** Hex; empty in every payment known. */
  data: string;
}

/** A payment that is done. */
export interface Payment {
  /** Of the transaction that paid. */
  hash: string;
  /** Number of its block. */
  block: number;
  /** To the transaction in the network's explorer; empty where the network has none. */
  link: string;
  /** In the token's smallest unit. */
  amount: bigint;
  /** What was paid with. */
  token: PaymentToken;
  /** Of the chain that was paid on. */
  chainId: number;
  /** The payer's address, lower-case. */
  from: string;
  /** The payment contract's address, lower-case. */
  contract: string;
  /** Of all transactions, in the smallest unit of the chain's own coin. */
  fee: bigint;
  /** The contract's event. Contracts need not emit one for the chain's own coin. */
  event?: ReceivedPayment;
  /** In order; the last one paid. */
  transactions: PaymentTransaction[];
}

/** What may be different when a payment is resumed; who pays what to whom may not. */
export type ResumePaymentOptions = Pick<CallOptions, "signal" | "timeoutMs"> &
  WaitOptions &
  FeeOptions & {
    /** URL of another node to ask. */
    rpc?: string | undefined;
    /** Of the same address: the same wallet after the page was loaded anew, say. */
    signer?: PaymentSigner | undefined;
  };

/**
 * A payment of which a transaction was signed, and which is not known to be done. `details.hash` is that of the latest
 * transaction, `details.transactions` are all of them. `resume()` looks them up, sends the very same signed transaction
 * again where it is lost, and goes on with steps that were never begun: it cannot pay twice, also when called twice.
 */
export type UnfinishedPayment = UnfinishedError<Payment, ResumePaymentOptions>;

/** {@link PayOptions} with everything checked that can be before anyone is asked. */
export interface Order {
  network: PaymentNetwork;
  token: PaymentToken;
  /** Nothing for the chain's own coin. */
  tokenContract: TokenContract | undefined;
  amount: bigint;
  /** Whether the amount comes from the table's decimals, which the chain's have to equal then. */
  priced: boolean;
  /** When the amount was reckoned, in milliseconds of this process's own. */
  quotedAt: number;
  /** Reckons it anew; throws as for the first time. */
  quoteAmount(): Promise<bigint>;
}
