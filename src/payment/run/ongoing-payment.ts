import { unknownEntry } from "../../base/errors/journal.ts";
import { shared } from "../../base/shared.ts";
import { createId } from "../../base/streams/bytes.ts";
import { isObject } from "../../base/validation/schema.ts";
import type { Entry as JournalEntry } from "../../journal/entries.ts";
import { getEntries, type JournalLike } from "../../journal/handle.ts";
import { isOpenPayment, PAYMENT_KIND } from "../../journal/operations.ts";
import type { WalletAnswer } from "../../network/ethereum/wallet/sender.ts";
import { type Attempt, type Entry, fold, mayBeSent } from "../machine.ts";
import type { Order, Payment } from "../types.ts";

/** What is recorded of a payment; plain data. */
export interface PaymentRecord {
  /** Random: distinguishes the payment from all others. */
  id: string;
  orderId?: string | undefined;
  /** The order, as it was first signed. Amounts are decimal strings. */
  order: Omit<Order, "amount" | "payer" | "quotedAt" | "quoteAmount" | "usdPerCoin"> & { amount: string };
  /** The payer's address, lower-case. */
  from: string;
  entries: readonly Entry[];
  /** The final outcome, encoded, once the contract has received the payment. */
  result?: string | undefined;
  /** Whether nothing is known to be sent: there is nothing to complete, only to remember. */
  isIdle?: boolean | undefined;
}

/** A payment's outcome that no longer changes: made, or less was received than ordered. */
export type Result = { payment: Payment } | { hash: string; received: string };

/** How a payment ended; an error may only be the end of this call. */
export type PaymentEnd = Result | { error: unknown };

/** The record of a payment in its journal, owned by one run at a time. Its state is empty until the first write. */
export type OwnedRecord = JournalEntry<Partial<PaymentRecord>>;

/**
 * Reads the payments of a journal that are not complete, oldest first.
 *
 * @param ids - of the operations to read. Default all
 */
export async function listOpenPayments(
  journal: JournalLike,
  ids: readonly string[] | undefined,
): Promise<PaymentRecord[]> {
  const open = (await getEntries(journal).list()).filter(({ id }) => ids?.includes(id) ?? true);
  return open.flatMap((record) => ("kind" in record && isOpenPayment(record) ? (record.state as PaymentRecord) : []));
}

/** What identifies a payment, and where it is recorded. */
export interface Identity {
  orderId?: string | undefined;
  journal?: JournalLike | undefined;
  /** Of the record in the journal, for a payment without an order id that is continued. */
  id?: string | undefined;
}

/** A payment across its runs in this process. */
export interface OngoingPayment extends Identity {
  /** Distinguishes the payment from all others. */
  id: string;
  order: Order;
  /** The payer's address, once known. */
  from?: string | undefined;
  entries: readonly Entry[];
  result?: Result | undefined;
  /** Pending responses of wallets, by attempt: their windows may stay open from one run to the next. */
  readonly walletResponses: Map<number, Promise<WalletAnswer>>;
  /** The attempts that were seen with all their confirmations. */
  readonly confirmed: Set<number>;
  /** Of its record in the journal, if it is in one. */
  readonly name: string;
  /** In the journal, while a run owns it. */
  record?: OwnedRecord | undefined;
  /** In the journal, once a run has opened its record. */
  operationId?: string | undefined;
  running?: Promise<Payment> | undefined;
  /** The final outcome: never changes once set. */
  end?: PaymentEnd | undefined;
  /** Resolves once the entry is durable, together with the payment's result. */
  append(entry: Entry, result?: Result): Promise<void>;
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
  const payment: OngoingPayment = {
    orderId,
    journal,
    id,
    order,
    entries: [],
    walletResponses: new Map(),
    confirmed: new Set(),
    name: orderId === undefined ? `payment ${id}` : `order ${orderId}`,
    async append(entry, result) {
      const { id, from = "", record } = payment;
      // Nothing may be signed whose entry another run could own by now.
      if (journal && !record) throw new TypeError("the payment's entry is released");
      const { payer: _, quotedAt: __, quoteAmount: ___, usdPerCoin: ____, ...terms } = payment.order;
      const order = { ...terms, amount: String(terms.amount) };
      const entries = [...payment.entries, entry];
      const isIdle = !mayBeSent(fold(entries)) || undefined;
      const recorded = { id, orderId, from, order, entries, result: result && encodeResult(result), isIdle };
      await record?.update(recorded);
      Object.assign(payment, { entries, result });
      remember(recorded);
    },
  };
  return payment;
}

/** What others must not confuse a payment with. */
type KnownPayment = Pick<PaymentRecord, "id" | "orderId" | "from" | "entries"> & { order: Pick<Order, "network"> };

/** How many payments of this process are remembered. */
const MAX_REMEMBERED = 1_000;

/** What the latest payments of this process have recorded. Global on purpose: they share accounts, whichever kit made them. */
const remembered = shared("payments", () => new Map<string, KnownPayment>());

function remember(payment: KnownPayment): void {
  remembered.delete(payment.id);
  remembered.set(payment.id, payment);
  const [oldest] = remembered.keys();
  if (remembered.size > MAX_REMEMBERED && oldest !== undefined) remembered.delete(oldest);
}

/** Reads the attempts of all payments of the payer that this process and the journal know, the own one included. */
export async function listKnownAttempts(
  { order, sender, payment }: { order: Order; sender: { address: string }; payment: OngoingPayment },
  options: { withJournal: boolean },
): Promise<(Attempt & { isOwn: boolean; orderId: string | undefined })[]> {
  const { id, orderId, journal, entries } = payment;
  const { chainId } = order.network;
  const recorded = journal && options.withJournal ? (await getEntries(journal).list()).flatMap(toKnown) : [];
  const own: KnownPayment = { id, orderId, from: sender.address, order, entries };
  const known = new Map([...recorded, ...remembered.values(), own].map((payment) => [payment.id, payment]));
  return [...known.values()]
    .filter((other) => other.from === sender.address && other.order.network.chainId === chainId)
    .flatMap((other) =>
      fold(other.entries).map((attempt) => ({ ...attempt, isOwn: other.id === id, orderId: other.orderId })),
    );
}

function toKnown(entry: Awaited<ReturnType<ReturnType<typeof getEntries>["list"]>>[number]): KnownPayment[] {
  if (!("kind" in entry) || entry.kind !== PAYMENT_KIND) return [];
  const record = entry.state as Partial<PaymentRecord>;
  return record.order === undefined ? [] : [record as PaymentRecord];
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
    // The same chain and contract, perhaps by other nodes; a server may have renewed what has expired.
    if (isSame) payment.order = { ...recorded, network: order.network, expiresAt: order.expiresAt };
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

function encodeResult(result: Result): string {
  return JSON.stringify(result, (_, value: unknown) => (typeof value === "bigint" ? { bigint: String(value) } : value));
}

function decodeResult(text: string): Result {
  return JSON.parse(text, (_, value: unknown) =>
    isObject(value) && typeof value["bigint"] === "string" ? BigInt(value["bigint"]) : value,
  );
}
