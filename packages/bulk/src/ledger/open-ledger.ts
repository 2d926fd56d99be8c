import { resolve } from "node:path";
import { invalidOption } from "keeplight/parts";
import { type BulkLedger, toHandle } from "./handle.ts";
import { isDatabase } from "./is-database.ts";
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
