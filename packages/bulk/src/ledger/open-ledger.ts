import { resolve } from "node:path";
import { invalidOption, throwIfAborted } from "keeplight/parts";
import type { BulkPlan } from "../plan/plan.ts";
import { readBatches } from "../plan/plan-folder.ts";
import { isDatabase } from "./database.ts";
import type { Ledger, LedgerPlan } from "./ledger.ts";
import { openLevelLedger } from "./level-ledger.ts";

/**
 * Opens a ledger, which has a row for every file of its plans; creates it if there is none. In a folder it is for one
 * process at a time, and requires the package `classic-level`; in PostgreSQL (`postgres://…`) any number of machines share
 * it, and it requires `pg`.
 *
 * @param place - path of a folder for nothing else, or URL of a PostgreSQL database
 * @throws `INVALID_OPTION`, `CANNOT_WRITE`; `UNSUPPORTED` if the package is not installed; `NETWORK` if the database cannot
 * be reached
 *
 * @example
 * const ledger = await openBulkLedger("postgres://keeplight@db.internal/keeplight");
 */
export async function openBulkLedger(place: string): Promise<BulkLedger> {
  if (typeof place !== "string" || place === "") throw invalidOption("ledger", EXPECTED);
  if (isDatabase(place)) {
    const { openPostgresLedger } = await import("./postgres-ledger.ts");
    return toHandle(await openPostgresLedger(place));
  }
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(place)) throw invalidOption("ledger", EXPECTED);
  return toHandle(await openLevelLedger(resolve(place)));
}

const EXPECTED = "a folder, or a postgres:// URL";

/** A ledger of plans: what `openBulkLedger` returned. */
export interface BulkLedger {
  /** The folder, or the database without credentials. */
  readonly place: string;
  /** Closes it, once nothing uses it any more. */
  close(): Promise<void>;
}

const ledgers = new WeakMap<object, Ledger>();

/** Hides what calls do with a ledger. */
function toHandle(ledger: Ledger): BulkLedger {
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

/** Returns a plan of a ledger; throws `INVALID_OPTION` if there is none. */
export async function findPlan(ledger: Ledger, id: string): Promise<LedgerPlan> {
  const plan = await ledger.getPlan(id);
  if (!plan) throw invalidOption("plan", `the id of a plan that was run or enqueued with the ledger ${ledger.place}`);
  return plan;
}

/** Throws `INVALID_OPTION` for a plan that is cancelled. */
export function refuseCancelled({ state }: LedgerPlan): void {
  if (state === "cancelled") throw invalidOption("plan", "a plan that is not cancelled");
}

/** Runs work while this process owns a batch, unless another one does; `lost` fires when that may have changed. */
export async function withBatch<T>(
  ledger: Ledger,
  id: string,
  batch: number,
  work: (lost: AbortSignal) => Promise<T>,
): Promise<T | "busy"> {
  const ownership = await ledger.own(id, batch);
  return ownership ? work(ownership.lost).finally(() => ownership.release()) : "busy";
}

/** Yields the batches with files that are not done in their order, at most `limit` at once. */
export async function* listOpenPages(ledger: Ledger, id: string, limit: number): AsyncGenerator<number[]> {
  for (let after: number | undefined = -1; after !== undefined; ) {
    const page: number[] = await ledger.listOpen(id, after, limit);
    if (page.length > 0) yield page;
    after = page.at(-1);
  }
}

/**
 * Adds a plan to a ledger, with those of its batches that the ledger does not have yet, and starts it again if it is paused.
 *
 * @throws `INVALID_OPTION` for a plan that is cancelled, that the ledger has with another encryption, or whose manifest has
 * other batches; what reading the manifest throws
 */
export async function loadPlan(ledger: Ledger, plan: BulkPlan, signal: AbortSignal | undefined): Promise<LedgerPlan> {
  const stored = await ledger.addPlan(plan);
  refuseCancelled(stored);
  // A writer of a shared ledger does not decide whether files are encrypted.
  const isSame = stored.encrypted === plan.encrypted && stored.oneKeyPerBatch === plan.oneKeyPerBatch;
  if (!isSame) throw invalidOption("plan", "a plan that the ledger has with the same encryption");
  if (stored.loaded < stored.batches) {
    let batch = 0;
    for await (const files of readBatches(plan.folder, plan.encrypted)) {
      throwIfAborted(signal);
      if (batch >= stored.loaded) await ledger.addBatch(plan.id, batch, files);
      batch++;
    }
    if (batch !== stored.batches) throw invalidOption("plan", "a plan whose manifest has not been changed");
  }
  if (stored.state === "paused") await ledger.setState(plan.id, "running");
  return { ...stored, state: "running", loaded: stored.batches };
}
