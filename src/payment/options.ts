import type { NetworkName, PaymentNetwork, PaymentToken } from "../base/config/networks.ts";
import { KeeplightError } from "../base/errors/base.ts";
import { invalidOption } from "../base/errors/input.ts";
import type { UnfinishedError } from "../base/errors/unfinished.ts";
import {
  boolean,
  type Check,
  callback,
  type OptionSchema,
  oneOf,
  optional,
  type Resolved,
  reference,
  unchecked,
  wholeNumber,
} from "../base/operation.ts";
import { type CallOptions, callSchema } from "../base/options.ts";
import { checkSigner, type PaymentSigner } from "../network/ethereum/wallet/signer.ts";
import type { Payment, PaymentAction, PaymentProgress } from "./types.ts";

/** Bounds the digits, so that the exact arithmetic stays cheap. */
const RATE = /^\d{1,40}(\.\d{1,40})?(e[+-]?\d{1,2})?$/;

/** Price of 1 MiB in US dollars. */
const USD_PER_MIB = "0.00390625";

/** The fewest bytes that are billed: 1 MiB. */
const MIN_BYTES = 2 ** 20;

/** The largest size that has a price, in bytes. */
const MAX_BYTES = 1n << 53n;

/** A whole number from `min` to `max`: a bigint, or a number that has lost nothing. */
function wholeAmount(
  min: bigint,
  max: bigint,
  expected: string,
  isExact: (value: unknown) => boolean = Number.isSafeInteger,
): Check<bigint> {
  return (value, name) => {
    const amount = typeof value === "bigint" || isExact(value) ? BigInt(value as bigint | number) : -1n;
    if (amount < min || amount > max) throw invalidOption(name, expected);
    return amount;
  };
}

/** A number of bytes that has a price. */
export const byteCount = wholeAmount(0n, MAX_BYTES, "a whole number of bytes from 0 to 2^53", Number.isInteger);

/** The largest amount that contracts know. */
const MAX_AMOUNT = (1n << 256n) - 1n;

/** An amount of a token. */
export const tokenAmount = wholeAmount(1n, MAX_AMOUNT, "a whole number of the token's smallest unit");

/** The URLs of nodes, if there are any. */
export const nodeUrls: Check<string[] | undefined> = (value, name) => {
  if (value === undefined) return undefined;
  const urls: unknown[] = Array.isArray(value) ? value : [value];
  if (urls.length > 0 && urls.every((url) => typeof url === "string" && /^https?:\/\//.test(url)))
    return urls as string[];
  throw invalidOption(name, "an http or https URL, or a list of them");
};

/** Which chain a price or a payment is for. */
export interface NetworkOptions {
  /** Name of a chain in `networks`, or a complete row of your own. @default `polygon` */
  network?: NetworkName | PaymentNetwork | undefined;
}

/** Names and rows are resolved by what they are used for: with the table of networks, which is loaded then. */
export const networkSchema = {
  network: unchecked<NonNullable<NetworkOptions["network"]>>(),
} satisfies OptionSchema<NetworkOptions>;

/** The price of storage, if it differs from the network's default. */
export interface RateOptions {
  /** US dollars for 1 MiB, as a number or a decimal string. @default 0.00390625 */
  usdPerMiB?: number | string | undefined;
  /** The fewest bytes that are billed, 0 or more. @default 1,048,576 */
  minimumBytes?: number | undefined;
}

export const rateSchema = {
  usdPerMiB: (rate = USD_PER_MIB, name) => {
    const text = typeof rate === "number" ? String(rate) : rate;
    if (typeof text === "string" && RATE.test(text) && Number(text) > 0) return text;
    throw invalidOption(name, "a number above 0, or one as a decimal string");
  },
  minimumBytes: wholeNumber(MIN_BYTES),
} satisfies OptionSchema<RateOptions>;

/** How a payment is carried out. */
export interface RunningOptions {
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
  /**
   * Whether a wallet on another chain is requested to switch to the payment's, and to add it if it does not know it
   * (EIP-3326, EIP-3085).
   *
   * @default `true`
   */
  switchChain?: boolean | undefined;
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

export const runningSchema = {
  confirmations: optional(wholeNumber(1, 1)),
  waitMs: wholeNumber(600_000, 1),
  missingMs: wholeNumber(90_000, 1),
  pollMs: wholeNumber(2_000, 1),
  onProgress: callback<NonNullable<RunningOptions["onProgress"]>>(),
  switchChain: boolean(true),
  maxFee: optional(wholeAmount(0n, MAX_AMOUNT, "a whole number of the smallest unit of the chain's coin")),
} satisfies OptionSchema<RunningOptions>;

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

export const payerSchema = {
  signer: reference<PaymentSigner>(),
  privateKey: (key, name) => {
    if (key === undefined || key === "") return undefined;
    if (typeof key === "string" && /^(0x)?[0-9a-fA-F]{64}$/.test(key)) return key;
    throw invalidOption(name, "64 hex characters");
  },
} satisfies OptionSchema<PayerOptions>;

/** Returns who pays; throws `MISSING_PRIVATE_KEY`, or `INVALID_OPTION` for a signer that cannot. */
export function choosePayer({ signer, privateKey }: Resolved<typeof payerSchema>) {
  if (privateKey !== undefined) return { privateKey, signer: undefined };
  if (signer === undefined) throw new KeeplightError("MISSING_PRIVATE_KEY", "Private Key not found!!!");
  return { privateKey, signer: checkSigner(signer) };
}

/** What may change when a payment is resumed; payer, payee and amount may not. */
export type ResumePaymentOptions = Pick<CallOptions, "signal" | "timeoutMs"> &
  RunningOptions & {
    /** URL of another node to use, or of several. @default that of the payment */
    rpc?: string | readonly string[] | undefined;
    /**
     * What to do with the open transaction first, unless the chain shows how it ended:
     * - `"speed-up"`: sign it again with higher fees, at the same nonce, so that only one of them can be mined
     * - `"cancel"`: sign a transaction to the payer itself, at the same nonce; if that is mined, the payment throws
     *   `PAYMENT_CANCELLED`, and another call with the `orderId` pays once 64 blocks confirm it
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

/** What {@link ResumePaymentOptions} and resuming the payments of a journal have in common. */
export const resumeSchema = {
  signal: callSchema.signal,
  timeoutMs: callSchema.timeoutMs,
  ...runningSchema,
  rpc: nodeUrls,
  signer: payerSchema.signer,
};

export const resumePaymentSchema = {
  ...resumeSchema,
  action: optional(oneOf(["speed-up", "cancel", "give-up"])),
} satisfies OptionSchema<ResumePaymentOptions>;

/**
 * A payment with at least one signed transaction that is not known to be complete. `details.hash` is the latest
 * transaction's, `details.transactions` lists all of them. `resume()` looks them up, rebroadcasts the same signed
 * transaction if the chain lost it, and continues with steps that were never started. It cannot pay twice, not even
 * when called twice.
 */
export type UnfinishedPayment = UnfinishedError<Payment, ResumePaymentOptions>;

/** How much to pay. */
export type AmountOptions<Amount extends bigint | number = bigint | number> =
  | {
      /** What to pay, in the token's smallest unit. */
      amount: Amount & Whole<Amount>;
      size?: undefined;
    }
  | {
      /** Bytes of storage to pay for. The price is that of {@link getPrice}. */
      size: Amount & Whole<Amount>;
      amount?: undefined;
    };

/** What is paid for. */
export type OrderOptions<Amount extends bigint | number = bigint | number> = CallOptions &
  NetworkOptions &
  RateOptions &
  AmountOptions<Amount> & {
    /** What to pay with. */
    token: PaymentToken;
  };

export const orderSchema = {
  ...callSchema,
  ...networkSchema,
  ...rateSchema,
  // Checked with the network's row.
  token: (token) => token as PaymentToken,
  amount: optional(tokenAmount),
  size: optional(byteCount),
} satisfies OptionSchema<OrderOptions>;

/** `Amount`, but `never` if it is known not to be whole. */
export type Whole<Amount extends bigint | number> = number extends Amount
  ? Amount
  : `${Amount}` extends `${bigint}`
    ? Amount
    : never;
