import * as z from "zod/mini";
import { allInOrder } from "../base/async/queue.ts";
import type { PaymentToken } from "../base/config/networks.ts";
import { invalidOption } from "../base/errors/input.ts";
import type { Resolved } from "../base/operation.ts";
import { textLike, wholeFrom } from "../base/validation/schema.ts";
import { connectToNodes, requestQuantity } from "./chain/eth-rpc.ts";
import { findNetworkName, getTokenAddress, resolveLiveNetwork, resolveToken } from "./chain/network.ts";
import { checkPrice } from "./chain/price-feed.ts";
import type { PaymentOrder, ResolvedOrderOptions } from "./create-order.ts";
import type { orderSchema } from "./options.ts";
import { computeMark, planOrder } from "./order.ts";
import type { Order } from "./types.ts";

const terms = z.object({
  orderId: textLike(/\S/),
  token: z.custom<PaymentToken>((value) => typeof value === "string"),
  amount: textLike(/^[1-9]\d{0,76}$/),
  sender: z.nullable(textLike(/^0x[0-9a-f]{40}$/)),
  fromBlock: wholeFrom(0),
  expiresAt: z.custom<string>((value) => typeof value === "string" && new Date(value).toJSON() === value),
});

/** Adds what follows from the terms of an order and its network. */
async function completeOrder(
  { orderId, token, amount, sender, fromBlock, expiresAt }: z.infer<typeof terms>,
  { network, tokenContract }: Pick<Order, "network" | "tokenContract">,
): Promise<PaymentOrder> {
  if (!tokenContract && sender === null) throw invalidOption("sender", "an address: coins carry no mark");
  const { chainId } = network;
  const contract = network.contract.toLowerCase();
  const tokenAddress = getTokenAddress(tokenContract);
  const mark = tokenContract ? await computeMark(orderId, { tokenContract }) : null;
  return { orderId, chainId, contract, token, tokenAddress, amount, mark, sender, fromBlock, expiresAt };
}

/** Implements `createOrder`. */
export async function makeOrder(options: ResolvedOrderOptions): Promise<PaymentOrder> {
  const { orderId, token, sender = null, expiresInMs } = options;
  const planned = planOrder(options);
  const { network, quoteAmount } = planned;
  const order = await completeOrder({ orderId, token, amount: "", sender, fromBlock: 0, expiresAt: "" }, planned);
  const name = findNetworkName(network);
  const amount = String(await quoteAmount());
  const rpc = connectToNodes(network, options.rpc, options);
  const reads = [requestQuantity(rpc, "eth_blockNumber"), checkPrice({ order: planned, rpc })] as const;
  const fromBlock = Number((await allInOrder(reads))[0]);
  const expiresAt = new Date(Date.now() + expiresInMs).toISOString();
  return { ...order, ...(name === undefined ? {} : { network: name }), amount, fromBlock, expiresAt };
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
  const received = given as PaymentOrder;
  const network = resolveLiveNetwork(row ?? received.network ?? null);
  const tokenContract = resolveToken(network, parsed.data.token);
  const order = await completeOrder(parsed.data, { network, tokenContract });
  for (const [name, value] of Object.entries(order)) {
    if (received[name as keyof PaymentOrder] !== value) throw invalidOption(`order.${name}`, String(value));
  }
  const { amount, mark, sender, expiresAt } = order;
  return {
    ...order,
    network,
    tokenContract,
    amount: BigInt(amount),
    mark: mark ?? undefined,
    sender: sender ?? undefined,
    expiresAt: Date.parse(expiresAt),
  };
}

/** What is to be paid: an order, or the rest. */
type PaymentTerms = Omit<Resolved<typeof orderSchema>, "token"> & {
  token: PaymentToken | undefined;
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
    const order = planOrder({ ...options, token: token as PaymentToken }, maxAmount);
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
