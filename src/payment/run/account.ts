import { queued } from "../../base/async/queue.ts";
import { shared } from "../../base/shared.ts";
import { getEntries, type JournalLike } from "../../journal/handle.ts";
import { ACCOUNT_KIND, PAYMENT_KIND } from "../../journal/operations.ts";
import { type Attempt, fold } from "../machine.ts";
import type { Context } from "./context.ts";
import { openWhenFree, type PaymentRecord } from "./payment-record.ts";

/**
 * Runs `work` while no other payment of the account runs in this process, nor in another one that uses the journal:
 * concurrently they would take each other's nonce and allowance.
 */
export function withAccount<T>(
  { chainId, address }: { chainId: number; address: string },
  journal: JournalLike | undefined,
  limits: { signal: AbortSignal | undefined; waitMs: number },
  work: () => Promise<T>,
): Promise<T> {
  const key = `${chainId} ${address}`;
  return queued(key, limits.signal, async () => {
    const entry = journal && (await openWhenFree(journal, ACCOUNT_KIND, key, {}, limits));
    return work().finally(() => entry?.release());
  });
}

/** What others must not confuse a payment with. */
type KnownPayment = Pick<PaymentRecord, "id" | "orderId" | "from" | "entries"> & { chainId: number };

/** How many payments of this process are remembered. */
const MAX_REMEMBERED = 1_000;

/** The latest payments of this process. Global on purpose: they share accounts, whichever kit made them. */
const remembered = shared("payments", () => new Map<string, KnownPayment>());

/** Remembers what a payment has recorded by now. */
export function rememberPayment(payment: KnownPayment): void {
  remembered.delete(payment.id);
  remembered.set(payment.id, payment);
  const [oldest] = remembered.keys();
  if (remembered.size > MAX_REMEMBERED && oldest !== undefined) remembered.delete(oldest);
}

/** Reads the attempts of all payments of the payer that this process and the journal know, the own one included. */
export async function listKnownAttempts(
  { order, orderId, sender, paymentId, journal, journey }: Context,
  options: { withJournal: boolean },
): Promise<(Attempt & { isOwn: boolean; orderId: string | undefined })[]> {
  const { chainId } = order.network;
  const recorded =
    journal && options.withJournal ? (await getEntries(journal).list()).flatMap(toKnown) : ([] as KnownPayment[]);
  const own: KnownPayment = { id: paymentId, orderId, from: sender.address, chainId, entries: journey.entries };
  const known = new Map([...recorded, ...remembered.values(), own].map((payment) => [payment.id, payment]));
  return [...known.values()]
    .filter((payment) => payment.from === sender.address && payment.chainId === chainId)
    .flatMap(({ id, entries, ...of }) =>
      fold(entries).map((attempt) => ({ ...attempt, isOwn: id === paymentId, orderId: of.orderId })),
    );
}

function toKnown(record: Awaited<ReturnType<ReturnType<typeof getEntries>["list"]>>[number]): KnownPayment[] {
  if (!("kind" in record) || record.kind !== PAYMENT_KIND) return [];
  const { id, orderId, from, entries, order } = record.state as Partial<PaymentRecord>;
  if (id === undefined || from === undefined || entries === undefined || order === undefined) return [];
  return [{ id, orderId, from, entries, chainId: order.network.chainId }];
}
