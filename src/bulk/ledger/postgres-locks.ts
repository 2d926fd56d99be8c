import type { Pool, PoolClient } from "pg";
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

export function createLocks(pool: Pool): Locks {
  const names = new Set<string>();
  let holder: Promise<Holder> | undefined;

  function connect(): Promise<Holder> {
    if (holder) return holder;
    const forget = () => {
      if (holder === opened) holder = undefined;
    };
    const opened = pool.connect().then((client) => createHolder(client, forget));
    opened.catch(forget);
    holder = opened;
    return opened;
  }

  return {
    async take(name) {
      // The database would grant it again to the same connection.
      if (names.has(name)) return undefined;
      names.add(name);
      try {
        const { query, lost } = await connect();
        if (await query(LOCK, name)) {
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
      void holder?.then(({ end }) => end()).catch(() => undefined);
    },
  };
}

function createHolder(client: PoolClient, onEnd: () => void): Holder {
  const ended = new AbortController();
  let last: Promise<unknown> = Promise.resolve();

  function end(): void {
    if (ended.signal.aborted) return;
    onEnd();
    client.release(true);
    ended.abort();
  }

  /** A connection carries out one query after the other. */
  function runSerially<T>(work: () => Promise<T>): Promise<T> {
    const next = last.then(work, work);
    last = next.catch(() => undefined);
    return next;
  }

  client.on("error", end);
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
