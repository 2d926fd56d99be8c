import { invalidOption } from "../../base/errors/input.ts";
import { type Operation, type OptionSchema, resolveOptions, unchecked, wholeNumber } from "../../base/operation.ts";
import { type CallOptions, callSchema } from "../../base/options.ts";
import { checkEvmAddress } from "../../base/validation/address.ts";
import { type NetworkOptions, networkSchema, nodeUrls } from "../options.ts";
import type { PaymentReceipt } from "./receipt.ts";

/** Options of {@link listPayments}. `timeoutMs` limits each request to a node. */
export interface ListPaymentsOptions extends CallOptions, NetworkOptions {
  /** Number of the first block to search. Chains have many millions: choose one before the first payment. */
  fromBlock: number;
  /** Number of the last block to search. @default the latest */
  toBlock?: number | undefined;
  /** URL of the node to use instead of the network's, or of several. One is believed. @default the network's */
  rpc?: string | readonly string[] | undefined;
}

const fromBlock = wholeNumber(0);

const schema = {
  ...callSchema,
  ...networkSchema,
  fromBlock(value, name) {
    if (value === undefined) throw invalidOption(name, "the number of a block");
    return fromBlock(value, name);
  },
  // From `fromBlock` on.
  toBlock: unchecked<number>(),
  rpc: nodeUrls,
} satisfies OptionSchema<ListPaymentsOptions>;

export const listPaymentsOperation = { options: schema } satisfies Operation<ListPaymentsOptions>;

/**
 * Lists what an address has paid, oldest first: each receipt is as `verifyPayment` returns it. Payments are found by the
 * payment contract's events; coins that a contract took without an event are not listed. Nodes limit how many blocks they
 * search at once: fewer are requested until the node accepts.
 *
 * If it fails, `details.payments` of the {@link UnfinishedPaymentList} has what was found in all blocks before
 * `details.fromBlock`, and `resume()` continues there.
 *
 * @param address - of the account that paid: the payments' `sender`
 * @throws `INVALID_OPTION`, `INVALID_ADDRESS`, `UNSUPPORTED_NETWORK`; `WRONG_CHAIN`, `PAYMENT_REORGANISED`,
 * `RPC_REFUSED`, `INVALID_RESPONSE` and what every request may throw, once a search has started as an
 * {@link UnfinishedPaymentList}
 *
 * @example
 * const payments = await listPayments(address, { network: "polygon", fromBlock: 78_000_000 });
 */
export async function listPayments(address: string, options: ListPaymentsOptions): Promise<PaymentReceipt[]> {
  const { network, fromBlock, toBlock, ...reading } = resolveOptions(schema, options);
  const lastBlock = wholeNumber(Number.MAX_SAFE_INTEGER, fromBlock)(toBlock, "toBlock");
  const sender = checkEvmAddress(address);
  const { searchPayments } = await import("../lazy.ts");
  return searchPayments({ sender, network, fromBlock, lastBlock }, reading);
}
