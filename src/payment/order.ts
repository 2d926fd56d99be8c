import { invalidOption } from "../base/errors/input.ts";
import { aboveLimit } from "../base/errors/payment-input.ts";
import type { Resolved } from "../base/operation.ts";
import { toHex } from "../base/streams/bytes.ts";
import { resolveLiveNetwork, resolveToken } from "./chain/network.ts";
import { type orderSchema, tokenAmount } from "./options.ts";
import { computePrice } from "./price.ts";
import type { Order } from "./types.ts";

/**
 * Returns what a payment is for. Its amount is yet to be quoted.
 *
 * @param maxAmount - above it, quoting fails
 * @throws `UNSUPPORTED_NETWORK`, `TOKEN_NOT_SUPPORTED`, `INVALID_OPTION`
 */
export function planOrder(options: Resolved<typeof orderSchema>, maxAmount?: bigint): Order {
  const { token, amount, size } = options;
  const network = resolveLiveNetwork(options.network);
  const tokenContract = resolveToken(network, token);
  if ((amount === undefined) === (size === undefined)) throw invalidOption("amount", "an amount or else a size");
  const quoteAmount = async (): Promise<bigint> => {
    const quoted = amount ?? tokenAmount((await computePrice(size ?? 0n, options)).amount, "amount");
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
