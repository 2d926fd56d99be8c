import { queued } from "../../base/async/queue.ts";
import { getEntries, type JournalLike } from "../../journal/handle.ts";
import { ACCOUNT_KIND, PAYMENT_KIND } from "../../journal/operations.ts";
import { type Attempt, fold } from "../machine.ts";
import type { Context } from "./context.ts";
import { type KnownPayment, remembered } from "./ongoing-payment.ts";
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

/** Reads the attempts of all payments of the payer that this process and the journal know, the own one included. */
export async function listKnownAttempts(
  { order, sender, payment }: Context,
  options: { withJournal: boolean },
): Promise<(Attempt & { isOwn: boolean; orderId: string | undefined })[]> {
  const { id, orderId, journal, entries } = payment;
  const { chainId } = order.network;
  const recorded = journal && options.withJournal ? (await getEntries(journal).list()).flatMap(toKnown) : [];
  const own: KnownPayment = { id, orderId, from: sender.address, chainId, entries };
  const known = new Map([...recorded, ...remembered.values(), own].map((payment) => [payment.id, payment]));
  return [...known.values()]
    .filter((other) => other.from === sender.address && other.chainId === chainId)
    .flatMap((other) =>
      fold(other.entries).map((attempt) => ({ ...attempt, isOwn: other.id === id, orderId: other.orderId })),
    );
}

function toKnown(record: Awaited<ReturnType<ReturnType<typeof getEntries>["list"]>>[number]): KnownPayment[] {
  if (!("kind" in record) || record.kind !== PAYMENT_KIND) return [];
  const { id, orderId, from, entries, order } = record.state as Partial<PaymentRecord>;
  if (id === undefined || from === undefined || entries === undefined || order === undefined) return [];
  return [{ id, orderId, from, entries, chainId: order.network.chainId }];
}
