import type { Pool } from "pg";
import { readPlace } from "./connection-url.ts";
import { reportErrors } from "./database-error.ts";
import { loadPackage } from "./optional-package.ts";
import { createLocks } from "./postgres-locks.ts";
import type { Ownership } from "./types.ts";

/** After so long without a sign of life, a connection is tested, in seconds. */
const KEEPALIVE_SECONDS = 10;

/**
 * The database tests as well, and gives a machine that is gone up after 25 s: its locks are free then. The machine itself
 * notices earlier, if it is only cut off.
 */
const KEEPALIVE_OPTIONS = `-c tcp_keepalives_idle=${KEEPALIVE_SECONDS} -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3`;

/** A process that is stopped within a transaction keeps its rows from all others for so long, in milliseconds. */
const IDLE_TRANSACTION_MS = 20_000;

const SERVER_OPTIONS = `${KEEPALIVE_OPTIONS} -c idle_in_transaction_session_timeout=${IDLE_TRANSACTION_MS}`;

/** A PostgreSQL database. */
export interface Database {
  /** Without credentials. */
  readonly place: string;
  query<Row>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  /** Runs work in a transaction, which is rolled back if the work throws. */
  transaction<T>(work: (query: Database["query"]) => Promise<T>): Promise<T>;
  /** Takes a lock that ends with this process, or returns `undefined` if another caller has it. */
  lock(name: string): Promise<Ownership | undefined>;
  close(): Promise<void>;
}

/** Connects to a database; throws `INVALID_OPTION`, `UNSUPPORTED`, `NETWORK`. */
export async function openDatabase(url: string): Promise<Database> {
  const place = readPlace("ledger", url);
  const { default: pg } = await loadPackage("pg", () => import("pg"));
  const config = {
    connectionString: url,
    application_name: "keeplight",
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEPALIVE_SECONDS * 1_000,
    options: SERVER_OPTIONS,
  };
  const pool = new pg.Pool({ ...config, max: 7 });
  // A connection that breaks while nobody uses it; the next query opens another one.
  pool.on("error", ignoreError);
  const report = <T>(work: () => Promise<T>) => reportErrors(place, work);
  const locks = createLocks(() => new pg.Client(config));
  return {
    place,
    query: (text, values = []) => report(async () => (await pool.query(text, [...values])).rows),
    transaction: (work) => report(() => runTransaction(pool, work)),
    lock: (name) => report(() => locks.take(name)),
    async close() {
      locks.close();
      await pool.end();
    },
  };
}

async function runTransaction<T>(pool: Pool, work: (query: Database["query"]) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let failure: Error | undefined;
  // If the connection breaks, the query fails; without a listener the error would end the process, too.
  client.on("error", ignoreError);
  try {
    await client.query("begin");
    const result = await work(async (text, values = []) => (await client.query(text, [...values])).rows);
    await client.query("commit");
    return result;
  } catch (error) {
    failure = error as Error;
    await client.query("rollback").catch(() => undefined);
    throw error;
  } finally {
    // A connection that failed is not used again.
    client.release(failure);
    client.off("error", ignoreError);
  }
}

function ignoreError(): void {}
