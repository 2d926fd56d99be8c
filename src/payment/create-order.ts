import type { NetworkName, PaymentToken } from "../base/config/networks.ts";
import { invalidOption } from "../base/errors/input.ts";
import { type Operation, type OptionSchema, optional, resolveOptions, wholeNumber } from "../base/operation.ts";
import { nodeUrls, type OrderOptions, orderSchema, payerAddress } from "./options.ts";

/** What to pay, until when, and how the payment is recognised. Plain data, for JSON: it holds no secret. */
export interface PaymentOrder {
  /** Names what is paid for. */
  orderId: string;
  /** The name of the chain in `networks`, if it has one. */
  network?: NetworkName;
  /** As in EIP-155. */
  chainId: number;
  /** The payment contract's address, lower-case. */
  contract: string;
  /** What to pay with. */
  token: PaymentToken;
  /** Of the token's contract, lower-case; zero for the chain's own coin. */
  tokenAddress: string;
  /** What to pay, in the token's smallest unit, as a decimal string. */
  amount: string;
  /** The SHA-256 of the `orderId` as 64 hex digits, by which a payment in a token is recognised; else `null`. */
  mark: string | null;
  /** The address that has to pay, lower-case; `null` if anyone may. */
  sender: string | null;
  /** Number of the block from which on a payment counts: the latest one when the order was created. */
  fromBlock: number;
  /** When no payment may be started any more, in ISO 8601. */
  expiresAt: string;
}

/** Options of {@link createOrder}. `timeoutMs` limits each request to a node or to the price service. */
export type CreateOrderOptions<Amount extends bigint | number = bigint | number> = OrderOptions<Amount> & {
  /**
   * Names what is paid for. Use an id that no other server has either, such as a UUID: a payment in a token is recognised
   * by its hash, which everyone can see on the chain.
   */
  orderId: string;
  /**
   * The address that has to pay. Required for `native`: coins carry no mark, and only the sender binds a payment to the
   * order.
   *
   * @default anyone may pay
   */
  sender?: string | undefined;
  /** How long a payment may be started, in milliseconds. @default 3,600,000 (one hour) */
  expiresInMs?: number | undefined;
  /** URL of the node to use instead of the network's, or of several. @default the network's */
  rpc?: string | readonly string[] | undefined;
};

/** Lone surrogates are refused: all of them have the same UTF-8, and so the same hash. */
export const ORDER_ID = /^\P{Surrogate}*\S\P{Surrogate}*$/u;

const schema = {
  ...orderSchema,
  orderId(value, name) {
    if (typeof value === "string" && ORDER_ID.test(value)) return value;
    throw invalidOption(name, "a non-empty string of Unicode characters");
  },
  sender: optional(payerAddress),
  // What is later than the year 2255 is a mistake, and may be no date.
  expiresInMs: wholeNumber(3_600_000, 1, 2 ** 43),
  rpc: nodeUrls,
} satisfies OptionSchema<CreateOrderOptions>;

export const createOrderOperation = { options: schema, at: 0 } satisfies Operation<CreateOrderOptions>;

/**
 * Creates an order on a server: what to pay, until when and from which block on. Keep it in the server's database, send it
 * to the payer as JSON, and verify the payment with `verifyPayment(hash, { order })`.
 *
 * @throws `INVALID_OPTION`, `INVALID_ADDRESS`, `UNSUPPORTED_NETWORK`, `MISSING_TOKEN`, `TOKEN_NOT_SUPPORTED`,
 * `TICKER_FAILED` for a `size` in the chain's own coin, `WRONG_CHAIN`, `RPC_REFUSED`, `INVALID_RESPONSE` and what every
 * request may throw
 *
 * @example
 * const order = await createOrder({ orderId: randomUUID(), network: "polygon", token: "usdc", size: 5_000_000 });
 */
export async function createOrder<Amount extends bigint | number>(
  options: CreateOrderOptions<Amount>,
): Promise<PaymentOrder> {
  const resolved = resolveOptions(schema, options);
  const { makeOrder } = await import("./lazy.ts");
  return makeOrder(resolved);
}

/** Options of {@link createOrder}, checked. */
export type ResolvedOrderOptions = ReturnType<typeof resolveOptions<typeof schema>>;
