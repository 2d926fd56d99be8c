import * as z from "zod/mini";
import type { PaymentToken, TokenContract } from "../base/config/networks.ts";
import { invalidOption } from "../base/errors/input.ts";
import { textLike, wholeFrom } from "../base/validation/schema.ts";
import { connectToNodes, requestQuantity } from "./chain/eth-rpc.ts";
import {
  findNetworkName,
  getTokenAddress,
  type ResolvedNetwork,
  resolveLiveNetwork,
  resolveToken,
} from "./chain/network.ts";
import { ORDER_ID, type PaymentOrder, type ResolvedOrderOptions } from "./create-order.ts";
import { computeMark, planOrder } from "./order.ts";

/** Implements `createOrder`. */
export async function makeOrder(options: ResolvedOrderOptions): Promise<PaymentOrder> {
  const { orderId, sender, expiresInMs } = options;
  const planned = planOrder(options);
  const { network, token, tokenContract } = planned;
  if (!tokenContract && sender === undefined) throw invalidOption("sender", "an address, as coins carry no mark");
  const amount = await planned.quoteAmount();
  const latest = await requestQuantity(connectToNodes(network, options.rpc, options), "eth_blockNumber");
  const name = findNetworkName(network);
  return {
    orderId,
    ...(name === undefined ? {} : { network: name }),
    chainId: network.chainId,
    contract: network.contract.toLowerCase(),
    token,
    tokenAddress: getTokenAddress(tokenContract),
    amount: String(amount),
    mark: tokenContract ? await computeMark(orderId, planned) : null,
    sender: sender ?? null,
    fromBlock: Number(latest),
    expiresAt: new Date(Date.now() + expiresInMs).toISOString(),
  };
}

/** An order that was checked, as payments use it. Addresses are lower-case. */
export interface ResolvedOrder {
  orderId: string;
  network: ResolvedNetwork;
  token: PaymentToken;
  /** Undefined for the chain's own coin. */
  tokenContract: TokenContract | undefined;
  amount: bigint;
  /** 64 hex digits; undefined for the chain's own coin. */
  mark: string | undefined;
  sender: string | undefined;
  fromBlock: number;
  /** In milliseconds since 1970. */
  expiresAt: number;
}

const address = textLike(/^0x[0-9a-f]{40}$/);

const fields = z.object({
  orderId: textLike(ORDER_ID),
  network: z.optional(z.string()),
  chainId: wholeFrom(1),
  contract: address,
  token: z.string(),
  tokenAddress: address,
  amount: textLike(/^[1-9]\d{0,76}$/),
  mark: z.nullable(textLike(/^[0-9a-f]{64}$/)),
  sender: z.nullable(address),
  fromBlock: wholeFrom(0),
  expiresAt: textLike(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
});

/**
 * Resolves an order that came from elsewhere. Chain, contract, token and mark must be those of the table of networks, or
 * of the caller's row.
 *
 * @param row - instead of the order's `network`; required if the order names none
 * @throws `INVALID_OPTION`, `UNSUPPORTED_NETWORK`, `TOKEN_NOT_SUPPORTED`
 */
export async function resolveOrder(order: unknown, row: unknown): Promise<ResolvedOrder> {
  const parsed = z.safeParse(fields, order);
  if (!parsed.success) {
    const path = ["order", ...(parsed.error.issues[0]?.path ?? [])].join(".");
    throw invalidOption(path, "what createOrder returned");
  }
  const { data } = parsed;
  const { orderId, sender, fromBlock } = data;
  if (data.network === undefined && row === undefined) throw invalidOption("network", "the row of the order's chain");
  const network = resolveLiveNetwork(row ?? data.network);
  const tokenContract = resolveToken(network, data.token);
  const mark = tokenContract ? await computeMark(orderId, { tokenContract }) : undefined;
  const expected = {
    chainId: network.chainId,
    contract: network.contract.toLowerCase(),
    tokenAddress: getTokenAddress(tokenContract),
    mark: mark ?? null,
  };
  for (const [name, value] of Object.entries(expected)) {
    if (data[name as keyof typeof expected] !== value) throw invalidOption(`order.${name}`, String(value));
  }
  if (!tokenContract && sender === null) throw invalidOption("order.sender", "an address, as coins carry no mark");
  const expiresAt = Date.parse(data.expiresAt);
  if (Number.isNaN(expiresAt)) throw invalidOption("order.expiresAt", "a date");
  return {
    orderId,
    network,
    token: data.token as PaymentToken,
    tokenContract,
    amount: BigInt(data.amount),
    mark,
    sender: sender ?? undefined,
    fromBlock,
    expiresAt,
  };
}
