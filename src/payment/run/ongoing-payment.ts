import { unknownEntry } from "../../base/errors/journal.ts";
import { shared } from "../../base/shared.ts";
import type { JournalLike } from "../../journal/handle.ts";
import { createId } from "../../journal/sealing.ts";
import { type Entry, fold, mayBeSent } from "../machine.ts";
import type { Order, Payment } from "../types.ts";
import { rememberPayment } from "./account.ts";
import type { PaymentEnd } from "./ending.ts";
import {
  decodeResult,
  encodeResult,
  type Journey,
  type OwnedRecord,
  type PaymentRecord,
  type Result,
} from "./payment-record.ts";

/** What identifies a payment, and where it is recorded. */
export interface Identity {
  orderId?: string | undefined;
  journal?: JournalLike | undefined;
  /** Of the record in the journal, for a payment without an order id that is continued. */
  id?: string | undefined;
}

/** A payment across its runs in this process. */
export interface OngoingPayment extends Identity {
  id: string;
  order: Order;
  /** The payer's address, once known. */
  from?: string | undefined;
  entries: readonly Entry[];
  result?: Result | undefined;
  readonly walletResponses: Journey["walletResponses"];
  readonly confirmed: Journey["confirmed"];
  /** Of its record in the journal, if it is in one. */
  readonly name: string;
  /** In the journal, once a run has opened its record. */
  operationId?: string | undefined;
  running?: Promise<Payment> | undefined;
  /** The final outcome: never changes once set. */
  end?: PaymentEnd | undefined;
}

/** Payments with an order id: those without a journal, and those of journals that are running. */
const orders = shared("orders", () => new Map<string, OngoingPayment>());

export function findPayment(order: Order, identity: Identity): OngoingPayment {
  const { orderId } = identity;
  if (orderId === undefined) return createPayment(order, identity);
  const key = getKey(identity);
  const payment = orders.get(key) ?? createPayment(order, identity);
  orders.set(key, payment);
  return payment;
}

function getKey({ orderId, journal }: Identity): string {
  return JSON.stringify([journal?.place, orderId]);
}

/** Forgets a payment that is in a journal, unless a wallet's window is still open. */
export function forgetPayment(payment: OngoingPayment): void {
  const isEmpty = payment.journal !== undefined || payment.entries.length === 0;
  const key = getKey(payment);
  if (isEmpty && payment.walletResponses.size === 0 && orders.get(key) === payment) orders.delete(key);
}

function createPayment(order: Order, { orderId, journal, id = createId() }: Identity): OngoingPayment {
  return {
    orderId,
    journal,
    id,
    order,
    entries: [],
    walletResponses: new Map(),
    confirmed: new Set(),
    name: orderId === undefined ? `payment ${id}` : `order ${orderId}`,
  };
}

/**
 * Takes over what the record in the journal says, which another process may have changed.
 *
 * @param mayStart - whether a payment that was completed or discarded meanwhile starts again
 * @throws `JOURNAL_ENTRY_UNKNOWN` if it does not
 */
export function adopt(payment: OngoingPayment, { state }: OwnedRecord, mayStart: boolean): void {
  if (state.entries === undefined) {
    if (!mayStart) throw unknownEntry(payment.orderId ?? payment.id);
    if (payment.entries.length === 0) return;
    // As another payment: a window that is still open must not pass for one of this payment.
    Object.assign(payment, { id: createId(), from: undefined, entries: [], result: undefined });
    payment.walletResponses.clear();
    payment.confirmed.clear();
    return;
  }
  const { id, from, entries, result, order } = state as PaymentRecord;
  Object.assign(payment, { id, from, entries, result: result === undefined ? undefined : decodeResult(result) });
  const { network } = payment.order;
  const { chainId, contract } = order.network;
  // The call's own nodes, unless it names another chain, which is refused then.
  const isSame = network.chainId === chainId && network.contract.toLowerCase() === contract.toLowerCase();
  // A record has no fields that are undefined.
  const { size, tokenContract, mark, fromBlock, expiresAt, amount } = order;
  const recorded = { ...order, size, tokenContract, mark, fromBlock, expiresAt, amount: BigInt(amount) };
  payment.order = { ...payment.order, ...recorded, network: isSame ? network : order.network };
}

/**
 * Prepares another call for a payment: takes over its order if nothing was attempted so far. Returns `false` if the order
 * id names something else.
 */
export function acceptOrder(payment: OngoingPayment, order: Order): boolean {
  const { entries, order: recorded } = payment;
  if (fold(entries).some(({ end }) => end !== "refused")) {
    const isSame = describe(order) === describe(recorded);
    // The same chain and contract, perhaps by other nodes.
    if (isSame) payment.order = { ...recorded, network: order.network };
    return isSame;
  }
  payment.order = order;
  payment.from = undefined;
  return true;
}

/** Equal for orders of the same. A price in coins changes from one call to the next. */
function describe({ network, token, tokenContract, size, amount }: Order): string {
  const sum = size !== undefined && !tokenContract ? "" : amount;
  return [network.chainId, network.contract, token, tokenContract?.address, size, sum].join().toLowerCase();
}

/** The part of a payment that a run reads and changes; each entry is durable before the run continues. */
export function toJourney(payment: OngoingPayment, record: OwnedRecord | undefined): Journey {
  return {
    get entries() {
      return payment.entries;
    },
    get result() {
      return payment.result;
    },
    walletResponses: payment.walletResponses,
    confirmed: payment.confirmed,
    async append(entry, result) {
      const { id, orderId, from = "", order } = payment;
      const { payer: _, quotedAt: __, quoteAmount: ___, usdPerCoin: ____, ...terms } = order;
      const ordered = { ...terms, amount: String(order.amount) };
      const entries = [...payment.entries, entry];
      const encoded = result && encodeResult(result);
      const isIdle = !mayBeSent(fold(entries)) || undefined;
      await record?.update({ id, orderId, from, order: ordered, entries, result: encoded, isIdle });
      payment.entries = entries;
      payment.result = result;
      rememberPayment({ id, orderId, from, entries, chainId: order.network.chainId });
    },
  };
}
