import type { NetworkName, PaymentNetwork, PaymentToken } from "../config/networks.ts";
import { type CallOptions, callOptionNames } from "../options.ts";

// A module of its own, because the code that uses these options is loaded later.

/** Which chain a price or a payment is for. */
export interface NetworkOptions {
  /** Name of a chain in `networks`, or a complete row of your own. @default `polygon` */
  network?: NetworkName | PaymentNetwork | undefined;
}

export const networkOptionNames = "network";

/** The price of storage, if it differs from the network's default. */
export interface RateOptions {
  /** US dollars for 1 MiB, as a number or a decimal string. @default 0.00390625 */
  usdPerMiB?: number | string | undefined;
  /** The fewest bytes that are billed, 0 or more. @default 1,048,576 */
  minimumBytes?: number | undefined;
}

export const rateOptionNames = "usdPerMiB,minimumBytes";

/** Options of a price. */
export interface PriceOptions extends CallOptions, NetworkOptions, RateOptions {
  /** What to pay with. @default `native` */
  token?: PaymentToken | undefined;
}

export const priceOptionNames = [callOptionNames, networkOptionNames, rateOptionNames, "token"] as const;

/** Names of the options that only wallets use. */
export const walletOptionNames = "switchChain";

/** Names of the options of resuming payments. */
export const resumePaymentsNames = [
  "signal,timeoutMs,confirmations,waitMs,missingMs,pollMs,onProgress,rpc,signer,maxFee",
  walletOptionNames,
] as const;

/** Names of the options of resuming one payment. */
export const resumePaymentNames = [...resumePaymentsNames, "action"] as const;
