import type { Pool, PoolClient } from "pg";
import { isKeeplightError, KeeplightError } from "../../errors/base.ts";
import { loadPackage } from "./optional-package.ts";

/** A PostgreSQL database. */
export interface Database {
  /** Without credentials. */
  readonly place: string;
  query<Row>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  /** Runs work in a transaction, which is rolled back if the work throws. */
  transaction<T>(work: (query: Database["query"]) => Promise<T>): Promise<T>;
  /** Takes a lock that ends with this process, or returns `undefined` if another connection has it. */
  lock(name: string): Promise<(() => Promise<void>) | undefined>;
  close(): Promise<void>;
}

/** Connects to a database; throws `UNSUPPORTED`, `NETWORK`. */
export async function openDatabase(url: string): Promise<Database> {
  const { default: pg } = await loadPackage("pg", () => import("pg"));
  const pool = new pg.Pool({ connectionString: url, max: 8, application_name: "keeplight" });
  const place = withoutCredentials(url);
  // A connection that breaks while nobody uses it; the next query opens another one.
  pool.on("error", () => undefined);
  const report = <T>(work: () => Promise<T>) => reportErrors(place, work);
  const held = createLocks(pool);
  return {
    place,
    query: (text, values = []) => report(async () => (await pool.query(text, [...values])).rows),
    transaction: (work) => report(() => runTransaction(pool, work)),
    lock: (name) => report(() => held.take(name)),
    async close() {
      held.close();
      await pool.end();
    },
  };
}

async function runTransaction<T>(pool: Pool, work: (query: Database["query"]) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let failure: Error | undefined;
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
  }
}

/** All locks of a process are held by one connection: if it breaks, they end. */
function createLocks(pool: Pool) {
  const names = new Set<string>();
  let holder: Promise<PoolClient> | undefined;
  let last: Promise<unknown> = Promise.resolve();

  /** A connection carries out one query after the other. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const next = last.then(work, work);
    last = next.catch(() => undefined);
    return next;
  }

  function connect(): Promise<PoolClient> {
    holder ??= pool.connect().then(
      (client) => {
        client.once("error", () => {
          holder = undefined;
          client.release(true);
        });
        return client;
      },
      (error) => {
        holder = undefined;
        throw error;
      },
    );
    return holder;
  }

  return {
    async take(name: string): Promise<(() => Promise<void>) | undefined> {
      // The database would grant it again to the same connection.
      if (names.has(name)) return undefined;
      names.add(name);
      try {
        const client = await connect();
        const lock = "select pg_try_advisory_lock(hashtextextended($1, 0)) as taken";
        const { rows } = await inTurn(() => client.query(lock, [name]));
        if (!rows[0]?.taken) {
          names.delete(name);
          return undefined;
        }
        return async () => {
          // A connection that is broken holds nothing any more.
          const unlock = "select pg_advisory_unlock(hashtextextended($1, 0))";
          await inTurn(() => client.query(unlock, [name])).catch(() => undefined);
          names.delete(name);
        };
      } catch (error) {
        names.delete(name);
        throw error;
      }
    },
    close() {
      void holder?.then((client) => client.release(true)).catch(() => undefined);
    },
  };
}

/** Reports what the database or the connection refuses; its message has no values of rows. */
async function reportErrors<T>(place: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isKeeplightError(error)) throw error;
    const { code = "UNKNOWN" } = error as { code?: string };
    throw new KeeplightError("NETWORK", `The database ${place} could not be used (${code})`, {
      details: { url: place, method: "SQL" },
      cause: error,
    });
  }
}

function withoutCredentials(url: string): string {
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
}
