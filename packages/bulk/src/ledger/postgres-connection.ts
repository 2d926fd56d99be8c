import type { Client, Pool } from "pg";
import { cannotUseDatabase, loadPackage, readPlace, withErrors } from "./database.ts";
import type { Ownership } from "./ledger.ts";

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
  const report = <T>(work: () => Promise<T>) => withErrors((error) => cannotUseDatabase(place, error), work);
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

/** A connection that does not answer for so long is lost, in milliseconds. */
const ANSWER_MS = 10_000;

const LOCK = "select pg_try_advisory_lock(hashtextextended($1, 0)) as taken";
const UNLOCK = "select pg_advisory_unlock(hashtextextended($1, 0))";

/** The connection that holds the locks of this process: if it is lost, they end. */
interface LockHolder {
  query(text: string, name: string): Promise<boolean>;
  /** Fires when the connection is lost. */
  lost: AbortSignal;
  end(): void;
}

/** Creates the locks of a database, which end with this process. */
function createLocks(createClient: () => Client) {
  const names = new Set<string>();
  let holder: Promise<LockHolder> | undefined;
  let isClosed = false;

  async function connect(): Promise<LockHolder> {
    if (isClosed) throw new Error("The ledger is closed");
    holder ??= openLockHolder(createClient(), () => {
      holder = undefined;
    });
    return holder;
  }

  async function acquire(name: string): Promise<LockHolder | undefined> {
    let current = await connect();
    const taken = await current.query(LOCK, name).catch(async () => {
      // It may have ended long ago, unnoticed. If it had the lock, that has ended with it.
      current = await connect();
      return current.query(LOCK, name);
    });
    return taken ? current : undefined;
  }

  return {
    /** Takes a lock, or returns `undefined` if another connection, or another caller, has it. */
    async take(name: string): Promise<Ownership | undefined> {
      // The database would grant it again to the same connection.
      if (names.has(name)) return undefined;
      names.add(name);
      let current: LockHolder | undefined;
      try {
        current = await acquire(name);
      } finally {
        if (!current) names.delete(name);
      }
      if (!current) return undefined;
      const { query, lost } = current;
      return {
        lost,
        async release() {
          // A connection that is lost holds nothing any more.
          if (!lost.aborted) await query(UNLOCK, name).catch(() => undefined);
          names.delete(name);
        },
      };
    },
    close(): void {
      isClosed = true;
      void holder?.then(({ end }) => end()).catch(() => undefined);
    },
  };
}

/** @param onEnd - is called once, when the connection is lost, ended, or cannot be opened */
async function openLockHolder(client: Client, onEnd: () => void): Promise<LockHolder> {
  const ended = new AbortController();

  function end(): void {
    if (ended.signal.aborted) return;
    onEnd();
    void client.end();
    ended.abort();
  }

  /** Runs work that uses the connection; after a failure, whether it has a lock is not known. */
  async function endOnFailure<T>(work: Promise<T>): Promise<T> {
    return work.catch((error) => {
      end();
      throw error;
    });
  }

  client.on("error", end);
  await endOnFailure(client.connect());
  // A connection carries out one query after the other.
  let last: Promise<unknown> = Promise.resolve();
  return {
    lost: ended.signal,
    end,
    async query(text, name) {
      const query = { text, values: [name], query_timeout: ANSWER_MS };
      const next = last.then(() => client.query<{ taken?: boolean }>(query));
      last = next.catch(() => undefined);
      return (await endOnFailure(next)).rows[0]?.taken === true;
    },
  };
}
