import {
  nonEmpty,
  type Operation,
  type OptionSchema,
  optional,
  resolveOptions,
  wholeNumber,
} from "../base/operation.ts";
import { checkEvmAddress } from "../base/validation/address.ts";
import { nodeUrls, type OrderOptions, orderSchema } from "./options.ts";
import type { PaymentOrder } from "./payment-order.ts";

/** Options of {@link createOrder}. `timeoutMs` limits each request to a node or to the price service. */
export type CreateOrderOptions<Amount extends bigint | number = bigint | number> = OrderOptions<Amount> & {
  /** Names what is paid for, as no other server does: a UUID. Everyone can see its hash on the chain. */
  orderId: string;
  /** The address that has to pay. Required for `native`: only the sender binds coins to an order. @default anyone's */
  sender?: string | undefined;
  /** How long a payment may be started, in milliseconds. @default 3,600,000 (one hour) */
  expiresInMs?: number | undefined;
  /** URL of the node to use instead of the network's, or of several. @default the network's */
  rpc?: string | readonly string[] | undefined;
};

const schema = {
  ...orderSchema,
  orderId: nonEmpty,
  sender: optional(checkEvmAddress),
  expiresInMs: wholeNumber(3_600_000, 1, 1e12),
  rpc: nodeUrls,
} satisfies OptionSchema<CreateOrderOptions>;

export const createOrderOperation = { options: schema, at: 0 } satisfies Operation<CreateOrderOptions>;

/**
 * Creates an order on a server: what to pay, until when and from which block on. Keep it in the server's database, send it
 * to the payer as JSON, and verify the payment with `verifyPayment(hash, { order })`.
 *
 * @throws `INVALID_OPTION`, `INVALID_ADDRESS`, `UNSUPPORTED_NETWORK`, `MISSING_TOKEN`, `TOKEN_NOT_SUPPORTED`,
 * for a `size` in the chain's own coin `TICKER_FAILED` and `PAYMENT_ABOVE_LIMIT`, `WRONG_CHAIN`, `RPC_REFUSED`,
 * `INVALID_RESPONSE` and what every request may throw
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
