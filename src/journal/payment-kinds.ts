import type { OpenRecord } from "./entries.ts";

/** The kind of payments. */
export const PAYMENT_KIND = "payment";

/** The kind of entries that remember the transactions of an account. */
export const ACCOUNT_KIND = "payment-account";

/** What every payment's state has. */
interface PaymentState {
  orderId?: string | undefined;
  /** Set once the payment is complete: its entry stays, so that the order is not paid again. */
  result?: string | undefined;
}

/** Whether an entry is a payment that is not complete. */
export function isOpenPayment({ kind, state }: OpenRecord): boolean {
  return kind === PAYMENT_KIND && (state as PaymentState).result === undefined;
}

/** Whether an entry only remembers something: there is nothing to complete. */
export function isMemory(record: OpenRecord): boolean {
  return record.kind === ACCOUNT_KIND || (record.kind === PAYMENT_KIND && !isOpenPayment(record));
}

/** The id of the order that a payment's entry is for. */
export function getOrderId({ state }: OpenRecord): string | undefined {
  return (state as PaymentState).orderId;
}
