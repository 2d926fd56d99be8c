import { invalidOption } from "../../base/errors/input.ts";
import type { ResolvedCall } from "../../base/options.ts";
import { withoutCredentials } from "../../network/http/secrets.ts";
import { nameByKey, type Order } from "./authorization.ts";
import type { Paying } from "./options.ts";
import { type Payer, resolvePayer } from "./payer.ts";

/** Returns the order of an upload that starts now. Its name is the caller's, or else this one. */
export async function startOrder(name: string, paying: Paying, call: ResolvedCall): Promise<Order> {
  const { address } = await resolvePayer(paying.signer, call.signal);
  return toOrder(paying.orderId ?? name, address, paying, call);
}

/** The same for an encrypted file, which is named by its key: that stays the same however often the file is sent. */
export async function startEncryptedOrder(masterKey: string, paying: Paying, call: ResolvedCall): Promise<Order> {
  return startOrder(await nameByKey(masterKey), paying, call);
}

function toOrder(orderId: string, payer: string, { network }: Paying, { endpoints }: ResolvedCall): Order {
  const { chainId, usdc } = network;
  return { service: withoutCredentials(endpoints.x402), orderId, payer, chainId, usdc: usdc.toLowerCase() };
}

/**
 * Returns who signs for an order.
 *
 * @throws `INVALID_OPTION` if the options are those of another order; what {@link resolvePayer} throws
 */
export async function continueOrder(order: Order, paying: Paying, call: ResolvedCall): Promise<Payer> {
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
