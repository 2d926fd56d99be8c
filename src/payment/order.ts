import { implausibleTicker } from "../base/errors/content.ts";
import { invalidOption } from "../base/errors/input.ts";
import { aboveLimit } from "../base/errors/payment-input.ts";
import type { Resolved } from "../base/operation.ts";
import { toHex } from "../base/streams/bytes.ts";
import { resolveLiveNetwork, resolveToken } from "./chain/network.ts";
import { type orderSchema, tokenAmount } from "./options.ts";
import { computeAmount } from "./price.ts";
import { fetchTicker } from "./ticker.ts";
import type { Order } from "./types.ts";

/**
 * Returns what a payment is for. Its amount is yet to be quoted.
 *
 * @param maxAmount - above it, quoting fails. Default: for a price in the chain's own coin, that at the low end of the
 * row's price band
 * @throws `UNSUPPORTED_NETWORK`, `TOKEN_NOT_SUPPORTED`, `INVALID_OPTION`
 */
export function planOrder(options: Resolved<typeof orderSchema>, maxAmount?: bigint): Order {
  const { token, amount, size } = options;
  const network = resolveLiveNetwork(options.network);
  const tokenContract = resolveToken(network, token);
  if ((amount === undefined) === (size === undefined)) throw invalidOption("amount", "an amount or else a size");
  const { decimals } = tokenContract ?? network;
  const isCoinPrice = amount === undefined && tokenContract === undefined;
  const band = isCoinPrice && maxAmount === undefined ? network.priceBand : undefined;
  const priceAt = (usdPerWhole: number) => computeAmount(size ?? 0n, options, { decimals, usdPerWhole }).amount;
  const limit = maxAmount ?? (band && priceAt(band.low));

  async function quoteAmount(): Promise<bigint> {
    const ticker = isCoinPrice ? await fetchTicker(network.symbol, options) : undefined;
    const quoted = amount ?? priceAt(ticker ?? 1);
    if (limit !== undefined && quoted > limit) throw aboveLimit(quoted, limit);
    if (band && Number(ticker) > band.high)
      throw implausibleTicker(network.symbol, Number(ticker), { high: band.high });
    order.usdPerCoin = ticker;
    order.priceCheck = ticker === undefined || maxAmount === undefined ? undefined : "none";
    return tokenAmount(quoted, "amount");
  }

  const order: Order = {
    network,
    token,
    tokenContract,
    size: size === undefined ? undefined : String(size),
    quoteAmount,
    quotedAt: performance.now(),
    amount: 0n,
  };
  return order;
}

/** Returns what marks the payments of an order, as hex. */
export async function computeMark(
  orderId: string | undefined,
  { tokenContract }: Pick<Order, "tokenContract">,
): Promise<string> {
  if (orderId === undefined) throw invalidOption("orderId", "an id, which the mark is made of");
  if (!tokenContract) throw invalidOption("mark", "false for the chain's own coin");
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(orderId));
  return toHex(new Uint8Array(digest));
}
