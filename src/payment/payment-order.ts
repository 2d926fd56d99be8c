import * as z from "zod/mini";
import { allInOrder } from "../base/async/queue.ts";
import type { PaymentToken } from "../base/config/networks.ts";
import { findNetworkName, getTokenAddress, resolveLiveNetwork, resolveToken } from "../base/config/resolve-network.ts";
import { invalidOption } from "../base/errors/input.ts";
import { paymentAboveLimit } from "../base/errors/payment.ts";
import type { Resolved } from "../base/operation.ts";
import { toHex } from "../base/streams/bytes.ts";
import { textLike, wholeFrom } from "../base/validation/schema.ts";
import { connectToNodes, requestQuantity } from "../network/ethereum/eth-rpc.ts";
import { checkPrice, implausibleTicker } from "./chain/contracts.ts";
import { type orderSchema, tokenAmount } from "./options.ts";
import { computeAmount } from "./price.ts";
import type { PaymentReceipt } from "./receipts/receipt.ts";
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
    if (limit !== undefined && quoted > limit) throw paymentAboveLimit(quoted, limit);
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
async function computeMark(
  orderId: string | undefined,
  { tokenContract }: Pick<Order, "tokenContract">,
): Promise<string> {
  if (orderId === undefined) throw invalidOption("orderId", "an id, which the mark is made of");
  if (!tokenContract) throw invalidOption("mark", "false for the chain's own coin");
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(orderId));
  return toHex(new Uint8Array(digest));
}

/** What to pay, until when, and how the payment is recognised. Plain data, for JSON, without secrets. */
export interface PaymentOrder
  extends Pick<PaymentReceipt, "network" | "chainId" | "contract" | "tokenAddress" | "amount"> {
  /** Names what is paid for. */
  orderId: string;
  /** The currency of `amount`. */
  token: PaymentToken;
  /** The SHA-256 of the `orderId` as 64 hex digits, which its payment carries; `null` for the chain's own coin. */
  mark: string | null;
  /** The address that has to pay, lower-case; `null` if anyone may. */
  sender: string | null;
  /** Number of the first block in which a payment counts. */
  fromBlock: number;
  /** When no payment may be started any more, in ISO 8601. */
  expiresAt: string;
}

type Planned = Pick<Order, "network" | "tokenContract">;

const terms = z.object({
  // Never a row, as that could be of a contract of the sender's.
  network: z.optional(z.string()),
  orderId: textLike(/\S/),
  token: z.custom<PaymentToken>((value) => typeof value === "string"),
  amount: textLike(/^[1-9]\d{0,76}$/),
  sender: z.nullable(textLike(/^0x[0-9a-f]{40}$/)),
  fromBlock: wholeFrom(0),
  expiresAt: z.custom<string>((value) => typeof value === "string" && new Date(value).toJSON() === value),
});

/** Derives what follows from the id and the network of an order. */
async function deriveTerms(orderId: string, sender: string | null, { network, tokenContract }: Planned) {
  if (!tokenContract && sender === null) throw invalidOption("sender", "an address: coins carry no mark");
  return {
    chainId: network.chainId,
    contract: network.contract.toLowerCase(),
    tokenAddress: getTokenAddress(tokenContract),
    mark: tokenContract ? await computeMark(orderId, { tokenContract }) : null,
  };
}

type OrderingOptions = Resolved<typeof orderSchema> &
  Pick<PaymentOrder, "orderId"> & {
    sender: string | undefined;
    expiresInMs: number;
    rpc: readonly string[] | undefined;
  };

/** Implements `createOrder`. */
export async function makeOrder(options: OrderingOptions): Promise<PaymentOrder> {
  const { orderId, token, sender = null, expiresInMs } = options;
  const planned = planOrder(options);
  const derived = await deriveTerms(orderId, sender, planned);
  const amount = String(await planned.quoteAmount());
  const rpc = connectToNodes(planned.network, options.rpc, options);
  const reads = [requestQuantity(rpc, "eth_blockNumber"), checkPrice({ order: planned, rpc })] as const;
  const fromBlock = Number((await allInOrder(reads))[0]);
  const expiresAt = new Date(Date.now() + expiresInMs).toISOString();
  const name = findNetworkName(planned.network);
  const terms = { orderId, token, amount, sender, fromBlock, expiresAt };
  return { ...terms, ...derived, ...(name === undefined ? {} : { network: name }) };
}

export type ResolvedOrder = Awaited<ReturnType<typeof resolveOrder>>;

/**
 * Resolves an order that came from elsewhere: its chain, contract, token and mark must be those of the table of networks,
 * or of the caller's row. `expiresAt` is in milliseconds since 1970.
 *
 * @param row - instead of the order's `network`
 * @throws `INVALID_OPTION`, `UNSUPPORTED_NETWORK`, also if neither names one, `TOKEN_NOT_SUPPORTED`
 */
export async function resolveOrder(given: unknown, row: unknown) {
  const parsed = z.safeParse(terms, given);
  if (!parsed.success)
    throw invalidOption(["order", ...(parsed.error.issues[0]?.path ?? [])].join("."), "as createOrder made it");
  const { data } = parsed;
  const network = resolveLiveNetwork(row ?? data.network ?? null);
  const tokenContract = resolveToken(network, data.token);
  const derived = await deriveTerms(data.orderId, data.sender, { network, tokenContract });
  for (const [name, value] of Object.entries(derived)) {
    if (Reflect.get(Object(given), name) !== value) throw invalidOption(`order.${name}`, String(value));
  }
  return {
    ...data,
    network,
    tokenContract,
    amount: BigInt(data.amount),
    mark: derived.mark ?? undefined,
    sender: data.sender ?? undefined,
    expiresAt: Date.parse(data.expiresAt),
  };
}

/** What is to be paid: an order, or the rest. */
type PaymentTerms = Resolved<typeof orderSchema> & {
  order: PaymentOrder | undefined;
  orderId: string | undefined;
  mark: boolean | undefined;
  maxAmount: bigint | undefined;
};

/**
 * Plans a payment: of an order that came from elsewhere, or of what the options say. Its amount is yet to be quoted.
 *
 * @throws what {@link resolveOrder} and {@link planOrder} throw
 */
export async function planPayment(options: PaymentTerms): Promise<{ order: Order; orderId: string | undefined }> {
  const { order: received, orderId, mark: isMarked, maxAmount, token, amount, size } = options;
  if (received === undefined) {
    const order = planOrder(options, maxAmount);
    const canMark = orderId !== undefined && order.tokenContract !== undefined;
    if (isMarked ?? canMark) order.mark = await computeMark(orderId, order);
    return { order, orderId };
  }
  for (const [name, value] of Object.entries({ orderId, mark: isMarked, token, amount, size }))
    if (value !== undefined) throw invalidOption(name, "none: the order names it");
  const { mark, sender: payer, fromBlock, expiresAt, ...terms } = await resolveOrder(received, options.network);
  const network = options.network ?? received.network;
  const order = planOrder({ ...options, network, token: terms.token, amount: terms.amount }, maxAmount);
  return { order: Object.assign(order, { mark, payer, fromBlock, expiresAt }), orderId: terms.orderId };
}
