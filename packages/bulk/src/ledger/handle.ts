import { invalidOption } from "keeplight/parts";
import type { Ledger } from "./types.ts";

/** A ledger of plans: what `openBulkLedger` returned. */
export interface BulkLedger {
  /** The folder, or the database without credentials. */
  readonly place: string;
  /** Closes it, once nothing uses it any more. */
  close(): Promise<void>;
}

const ledgers = new WeakMap<object, Ledger>();

/** Hides what calls do with a ledger. */
export function toHandle(ledger: Ledger): BulkLedger {
  const handle = Object.freeze({ place: ledger.place, close: ledger.close });
  ledgers.set(handle, ledger);
  return handle;
}

/** Returns the ledger of a handle; throws `INVALID_OPTION` for anything that `openBulkLedger` did not return. */
export function getLedger(handle: unknown): Ledger {
  const ledger = typeof handle === "object" && handle !== null ? ledgers.get(handle) : undefined;
  if (!ledger) throw invalidOption("ledger", "what openBulkLedger returned");
  return ledger;
}
