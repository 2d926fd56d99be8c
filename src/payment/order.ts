import { optional } from "../base/checks.ts";
import type { OptionSchema, Resolved } from "../base/operation.ts";
import type { PaymentToken } from "../config/networks.ts";
import { invalidOption } from "../errors/input.ts";
import { aboveLimit, missingToken } from "../errors/payment-input.ts";
import { type CallOptions, callSchema } from "../options.ts";
import { resolveLiveNetwork, resolveToken } from "./chain/network.ts";
import {
  type AmountOptions,
  byteCount,
  type NetworkOptions,
  type RateOptions,
  rateSchema,
  tokenAmount,
} from "./options.ts";
import type { Order } from "./types.ts";

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
  network: resolveLiveNetwork,
  ...rateSchema,
  token: (token) => {
    if (token === undefined) throw missingToken();
    return token as PaymentToken;
  },
  amount: optional(tokenAmount),
  size: optional(byteCount),
} satisfies OptionSchema<OrderOptions>;

/**
 * Returns what a payment is for. Its amount is yet to be quoted.
 *
 * @param maxAmount - above it, quoting fails
 * @throws `MISSING_TOKEN`, `TOKEN_NOT_SUPPORTED`, `INVALID_OPTION`
 */
export function createOrder(options: Resolved<typeof orderSchema>, maxAmount?: bigint): Order {
  const { network, token, amount, size } = options;
  const tokenContract = resolveToken(network, token);
  if ((amount === undefined) === (size === undefined)) throw invalidOption("amount", "an amount or else a size");
  const quotePrice = async (): Promise<bigint> => {
    const { computePrice } = await import("./price.ts");
    return tokenAmount((await computePrice(size ?? 0n, options)).amount, "amount");
  };
  const quoteAmount = async (): Promise<bigint> => {
    const quoted = amount ?? (await quotePrice());
    if (maxAmount !== undefined && quoted > maxAmount) throw aboveLimit(quoted, maxAmount);
    return quoted;
  };
  return {
    network,
    token,
    tokenContract,
    size: size === undefined ? undefined : String(size),
    quoteAmount,
    quotedAt: performance.now(),
    amount: 0n,
  };
}
