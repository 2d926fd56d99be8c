import type { Client } from "pg";
import type { Ownership } from "./types.ts";

/** A connection that does not answer for so long is lost, in milliseconds. */
const ANSWER_MS = 10_000;

const LOCK = "select pg_try_advisory_lock(hashtextextended($1, 0)) as taken";
const UNLOCK = "select pg_advisory_unlock(hashtextextended($1, 0))";

/** The connection that holds the locks of this process: if it is lost, they end. */
interface Holder {
  query(text: string, name: string): Promise<boolean>;
  /** Fires when the connection is lost. */
  lost: AbortSignal;
  end(): void;
}

/** Locks of a database, which end with this process. */
export interface Locks {
  /** Takes a lock, or returns `undefined` if another connection, or another caller, has it. */
  take(name: string): Promise<Ownership | undefined>;
  close(): void;
}

/** @param createClient - creates a connection, which is not opened yet */
export function createLocks(createClient: () => Client): Locks {
  const names = new Set<string>();
  let holder: Promise<Holder> | undefined;
  let isClosed = false;

  async function connect(): Promise<Holder> {
    if (isClosed) throw new Error("The ledger is closed");
    if (holder) return holder;
    const forget = () => {
      if (holder === opened) holder = undefined;
    };
    const opened = openHolder(createClient(), forget);
    opened.catch(forget);
    holder = opened;
    return opened;
  }

  /** Returns the connection that has the lock from now on. */
  async function acquire(name: string): Promise<Holder | undefined> {
    let current = await connect();
    const taken = await current.query(LOCK, name).catch(async () => {
      // It may have ended long ago, unnoticed. If it had the lock, that has ended with it.
      current = await connect();
      return current.query(LOCK, name);
    });
    return taken ? current : undefined;
  }

  return {
    async take(name) {
      // The database would grant it again to the same connection.
      if (names.has(name)) return undefined;
      names.add(name);
      try {
        const current = await acquire(name);
        if (current) {
          const { query, lost } = current;
          return {
            lost,
            async release() {
              // A connection that is lost holds nothing any more.
              if (!lost.aborted) await query(UNLOCK, name).catch(() => undefined);
              names.delete(name);
            },
          };
        }
      } catch (error) {
        names.delete(name);
        throw error;
      }
      names.delete(name);
      return undefined;
    },
    close() {
      isClosed = true;
      void holder?.then(({ end }) => end()).catch(() => undefined);
    },
  };
}

async function openHolder(client: Client, onEnd: () => void): Promise<Holder> {
  const ended = new AbortController();
  let last: Promise<unknown> = Promise.resolve();

  function end(): void {
    if (ended.signal.aborted) return;
    onEnd();
    void client.end();
    ended.abort();
  }

  /** A connection carries out one query after the other. */
  function runSerially<T>(work: () => Promise<T>): Promise<T> {
    const next = last.then(work, work);
    last = next.catch(() => undefined);
    return next;
  }

  client.on("error", end);
  await client.connect();
  return {
    lost: ended.signal,
    end,
    async query(text, name) {
      try {
        const query = { text, values: [name], query_timeout: ANSWER_MS };
        const { rows } = await runSerially(() => client.query<{ taken?: boolean }>(query));
        return rows[0]?.taken === true;
      } catch (error) {
        // Whether it has the lock is not known.
        end();
        throw error;
      }
    },
  };
}
