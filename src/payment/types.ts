import type { PaymentNetwork, PaymentToken, TokenContract } from "../config/networks.ts";
import type { UnfinishedError } from "../errors/unfinished.ts";
import type { JournalOptions } from "../journal/handle.ts";
import type { CallOptions } from "../options.ts";
import type { NetworkOptions, RateOptions } from "./price-options.ts";
import type { PaymentSigner } from "./wallet/signer.ts";

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

/** How to wait for transactions. */
export interface WaitOptions {
  /**
   * How many blocks must confirm the payment, its own included.
   *
   * @default the network's: 12 on Polygon, 3 on BNB Smart Chain and Filecoin, 1 on chains that do not reorganise
   */
  confirmations?: number | undefined;
  /** How long to wait for each transaction, in milliseconds. @default 600,000 (ten minutes) */
  waitMs?: number | undefined;
  /**
   * How long nodes may not know a transaction that was sent, or may fail, in milliseconds. It counts as lost once 12
   * blocks were mined meanwhile, too, or after five times as long.
   *
   * @default 90,000
   */
  missingMs?: number | undefined;
  /** Polling interval for a transaction, in milliseconds. @default 2,000 */
  pollMs?: number | undefined;
  /** Notified of each step. What it throws, or a rejection of the promise it returns, is ignored. @default none */
  onProgress?: ((progress: PaymentProgress) => void) | undefined;
}

/** What a wallet may be requested to do. */
export interface WalletOptions {
  /**
   * Whether a wallet on another chain is requested to switch to the payment's, and to add it if it does not know it
   * (EIP-3326, EIP-3085).
   *
   * @default `true`
   */
  switchChain?: boolean | undefined;
}

/** Limit of a payment's network fees. */
export interface FeeOptions {
  /**
   * The most that all transactions of the payment together may cost in network fees, in the smallest unit of the
   * chain's own coin. Fees are checked when a transaction is signed. A wallet chooses its fees itself: there the node's
   * suggestion is checked before the wallet is requested to send.
   *
   * @default several times the cost in the busiest hours: 10 coins on Fantom and Polygon, 0.05 BNB, 0.01 ETH on
   * Optimism, 5 FIL, 50 on Filecoin's testnets, a tenth of a coin (10^17) on other chains
   */
  maxFee?: bigint | number | undefined;
}

/** Who pays. A private key takes precedence over a signer. */
export type PayerOptions =
  | {
      /**
       * A signer of ethers, an account or a `WalletClient` of viem, or a wallet of the page (EIP-1193). A client with an
       * account pays from that account.
       */
      signer: PaymentSigner;
      privateKey?: undefined;
    }
  | {
      /** 64 hex characters, with or without `0x`. It never leaves this process. */
      privateKey: string;
      signer?: undefined;
    };

/** How much to pay. */
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
  WalletOptions &
  PayerOptions &
  AmountOptions &
  RateOptions & {
    /** What to pay with. */
    token: PaymentToken;
    /**
     * URL of the node to use instead of the signer's own or the network's; of several, the first that works is used,
     * and transactions are broadcast to all.
     *
     * @default the signer's, or the network's
     */
    rpc?: string | readonly string[] | undefined;
    /** The most to pay, in the token's smallest unit; network fees are limited by `maxFee`. @default no limit */
    maxAmount?: bigint | number | undefined;
    /**
     * Names what is paid for, such as an invoice: an order is paid once. A call with the id of an earlier one continues
     * its payment or returns it; only one that has failed for good is made again. The same id requires the same network,
     * token and amount, and to continue also the same payer. Without a `journal` this holds within one process.
     *
     * @default an order of its own for each call
     */
    orderId?: string | undefined;
    /**
     * Whether the payment is marked on the chain: the SHA-256 of the `orderId`, which the contract ignores, is appended to
     * the call data. A wallet's lost payment is then found by it, and no other payment of the same amount is taken for it.
     * Everyone can see the hash. Only with a token, as contracts need not accept coins with data.
     *
     * @default `false`
     */
    mark?: boolean | undefined;
  } & JournalOptions;

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
export interface Payment {
  /** Of the transaction that paid. */
  hash: string;
  /** Number of its block. */
  block: number;
  /** URL of the transaction in the network's explorer; empty if the network has none. */
  link: string;
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
  /** In order; the last one paid. */
  transactions: [PaymentTransaction, ...PaymentTransaction[]];
}

/** What may change when a payment is resumed; payer, payee and amount may not. */
export type ResumePaymentOptions = Pick<CallOptions, "signal" | "timeoutMs"> &
  WaitOptions &
  FeeOptions &
  WalletOptions & {
    /** URL of another node to use, or of several. @default that of the payment */
    rpc?: string | readonly string[] | undefined;
    /**
     * What to do with the open transaction first, unless the chain shows how it ended:
     * - `"speed-up"`: sign it again with higher fees, at the same nonce, so that only one of them can be mined
     * - `"cancel"`: sign a transaction to the payer itself, at the same nonce; if that is mined, the payment throws
     *   `PAYMENT_CANCELLED`, and another call with the `orderId` pays once 32 blocks confirm it
     * - `"give-up"`: request the wallet again. **Only if the user knows that the wallet neither sent the transaction nor
     *   will: otherwise the order is paid twice.** A payment that turns up by then is taken; one that turns up later is in
     *   `duplicates`
     *
     * A wallet's transactions can be sped up and cancelled in the wallet, only those signed here by this option.
     *
     * @default none: continues with the transaction as it is
     */
    action?: PaymentAction | undefined;
    /**
     * Must have the same address: for example, the same wallet after the page was reloaded.
     *
     * @default the payment's own
     */
    signer?: PaymentSigner | undefined;
  };

/** Options of {@link resumePayments}: who pays, and what {@link ResumePaymentOptions} has. */
export type ResumePaymentsOptions = Omit<ResumePaymentOptions, "signer" | "action"> &
  PayerOptions & {
    /** Which payments to complete: their ids in `journal.list()`. @default all */
    ids?: readonly string[] | undefined;
  };

/** A payment of a journal that is complete now. */
export interface ResumedPayment {
  /** The one of its call, if it had one. */
  orderId?: string | undefined;
  /** What the interrupted call would have returned. */
  payment: Payment;
}

/** A payment of a journal that could not be completed. */
export interface FailedPayment {
  /** The one of its call, if it had one. */
  orderId?: string | undefined;
  /** Why; see {@link payWithToken}. */
  error: unknown;
}

/**
 * A payment with at least one signed transaction that is not known to be complete. `details.hash` is the latest
 * transaction's, `details.transactions` lists all of them. `resume()` looks them up, rebroadcasts the same signed
 * transaction if the chain lost it, and continues with steps that were never started. It cannot pay twice, not even
 * when called twice.
 */
export type UnfinishedPayment = UnfinishedError<Payment, ResumePaymentOptions>;

/** {@link PayOptions} with everything checked that can be checked without a request. */
export interface Order {
  network: PaymentNetwork;
  token: PaymentToken;
  /** Undefined for the chain's own coin. */
  tokenContract: TokenContract | undefined;
  amount: bigint;
  /**
   * Bytes of storage, as a decimal string, if the amount is their price: it was computed with the decimals of the
   * network's row, which must then equal the token's.
   */
  size: string | undefined;
  /** Appended to the call data of the payment, as 64 hex digits. */
  mark?: string | undefined;
  /** When the amount was quoted, by `performance.now()`. */
  quotedAt: number;
  /** Quotes the amount again; throws as for the first time. */
  quoteAmount(): Promise<bigint>;
}
