import { invalidOption, withoutCredentials } from "keeplight/parts";
import type { Order } from "./authorization.ts";
import type { Call } from "./call.ts";
import type { Paying } from "./options.ts";
import { type Payer, resolvePayer } from "./payer.ts";

/** Returns the order of an upload that starts now. Its name is the caller's, or else this one. */
export async function startOrder(name: string, paying: Paying, call: Call): Promise<Order> {
  const { address } = await resolvePayer(paying.signer, call.signal);
  return toOrder(paying.orderId ?? name, address, paying, call);
}

function toOrder(orderId: string, payer: string, { network }: Paying, { endpoints }: Call): Order {
  const { chainId, usdc } = network;
  return { service: withoutCredentials(endpoints.x402), orderId, payer, chainId, usdc: usdc.toLowerCase() };
}

/**
 * Returns who signs for an order.
 *
 * @throws `INVALID_OPTION` if the options are those of another order; what {@link resolvePayer} throws
 */
export async function continueOrder(order: Order, paying: Paying, call: Call): Promise<Payer> {
  const payer = await resolvePayer(paying.signer, call.signal);
  const now = toOrder(paying.orderId ?? order.orderId, payer.address, paying, call);
  const isSame = (name: keyof Order): boolean => now[name] === order[name];
  const refuse = (option: string, what: string) => invalidOption(option, `${what} that the payment was started with`);
  if (!isSame("payer")) throw refuse("payPerUpload.signer", "the payer");
  if (!isSame("orderId")) throw refuse("payPerUpload.orderId", "the order");
  if (!isSame("chainId") || !isSame("usdc")) throw refuse("payPerUpload.network", "the network");
  if (!isSame("service")) throw refuse("endpoints.x402", "the service");
  return payer;
}
