import { wait } from "../../base/async/abort.ts";
import { isKeeplightError } from "../../base/errors/base.ts";
import { entryBusy } from "../../base/errors/journal.ts";
import { isObject } from "../../base/validation/schema.ts";
import type { Entry as JournalEntry } from "../../journal/entries.ts";
import { getEntries, type JournalLike } from "../../journal/handle.ts";
import { isOpenPayment } from "../../journal/operations.ts";
import type { Entry } from "../machine.ts";
import type { Order, Payment } from "../types.ts";

/** How often to try to take an entry that another call or process owns. */
const BUSY_POLL_MS = 50;

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

/**
 * Takes ownership of an entry, after the runs that own it before.
 *
 * @throws `JOURNAL_ENTRY_BUSY` after `waitMs`: a process that hangs never releases it
 */
export async function openWhenFree<State>(
  journal: JournalLike,
  kind: string,
  name: string,
  initial: State,
  { signal, waitMs }: { signal: AbortSignal | undefined; waitMs: number },
): Promise<JournalEntry<State>> {
  const deadline = performance.now() + waitMs;
  const entries = getEntries(journal);
  for (;;) {
    try {
      return await entries.open(kind, name, initial);
    } catch (error) {
      if (!isKeeplightError(error, "JOURNAL_ENTRY_BUSY")) throw error;
      const { id } = error.details;
      if (performance.now() >= deadline) throw entryBusy(id, await entries.findOwner(id));
    }
    await wait(BUSY_POLL_MS, signal);
  }
}

export function encodeResult(result: Result): string {
  return JSON.stringify(result, (_, value: unknown) => (typeof value === "bigint" ? { bigint: String(value) } : value));
}

export function decodeResult(text: string): Result {
  return JSON.parse(text, (_, value: unknown) =>
    isObject(value) && typeof value["bigint"] === "string" ? BigInt(value["bigint"]) : value,
  );
}
