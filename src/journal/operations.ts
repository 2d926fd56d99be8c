import { invalidOption } from "../base/errors/input.ts";
import type { EntryData } from "./entries.ts";

export const UPLOAD_KIND = "upload" as const;

/** The kind of entries that keep what waits to be uploaded: nothing of it is sent, and no key of it is generated. */
export const QUEUE_KIND = "queued" as const;

export const PAYMENT_KIND = "payment";

/** The kind of entries by which the payments of an account exclude each other. */
export const ACCOUNT_KIND = "payment-account";

/** The kinds of entries that a drive keeps: what it has seen, and changes that it has not stored yet. */
export const DRIVE_KIND = "drive";
export const DRIVE_CHANGE_KIND = "drive-change";

interface PaymentState {
  orderId?: string | undefined;
  /** Set once the payment is complete: its entry stays, so that the order is not paid again. */
  result?: string | undefined;
  /** Set while the wallet has rejected all of it: its entry stays, as the rejection proves nothing. */
  isIdle?: boolean | undefined;
}

export function isOpenPayment({ kind, state }: EntryData): boolean {
  const { result, isIdle } = state as PaymentState;
  return kind === PAYMENT_KIND && result === undefined && isIdle !== true;
}

/** How kinds start of entries that a package beside this one completes by itself. */
const BESIDE = "@keeplight/";

/** Whether an entry is no open operation of this package: it only remembers something, or is another package's affair. */
export function isMemory(entry: EntryData): boolean {
  if (entry.kind.startsWith(BESIDE)) return true;
  if (entry.kind === DRIVE_KIND || entry.kind === DRIVE_CHANGE_KIND) return true;
  return entry.kind === ACCOUNT_KIND || (entry.kind === PAYMENT_KIND && !isOpenPayment(entry));
}

/** The id of the order that a payment is for, by the state of its entry. */
export function getOrderId(state: unknown): string | undefined {
  return (state as PaymentState).orderId;
}

/** Throws `INVALID_OPTION` unless the account that resumes an operation is the one that started it. */
export function refuseOtherOwner(owner: string, address: string): void {
  if (!isSameAddress(owner, address)) throw invalidOption("signer", `the account that started the operation, ${owner}`);
}

/** Whether two addresses are of one account: the case of those of Ethereum is a checksum only. */
export function isSameAddress(one: string, other: string): boolean {
  return one.startsWith("0x") ? one.toLowerCase() === other.toLowerCase() : one === other;
}
