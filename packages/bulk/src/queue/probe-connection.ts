import { isKeeplightError } from "keeplight";
import { untilAborted } from "keeplight/parts";
import { isDatabase } from "../ledger/is-database.ts";
import { loadPackage } from "../ledger/optional-package.ts";
import { cannotUseQueue } from "./queue-error.ts";

/** How long a connection may take to open, in milliseconds. */
const CONNECT_TIMEOUT_MS = 10_000;

/**
 * Connects to the service of a queue once, and disconnects: BullMQ itself would wait for a service that does not exist for ever.
 *
 * @throws `NETWORK` if it cannot be reached within 10 seconds, or refuses the credentials; `ABORTED`
 */
export async function probeConnection(url: string, signal: AbortSignal | undefined): Promise<void> {
  const timeout = AbortSignal.timeout(CONNECT_TIMEOUT_MS);
  let probe: Probe | undefined;
  try {
    probe = isDatabase(url) ? await openPostgres(url) : await openRedis(url);
    await untilAborted(probe.connect(), signal ? AbortSignal.any([signal, timeout]) : timeout);
  } catch (error) {
    if (signal?.aborted || isKeeplightError(error, "UNSUPPORTED")) throw error;
    throw cannotUseQueue(url, timeout.aborted ? { message: "The queue did not respond", code: "ETIMEDOUT" } : error);
  } finally {
    probe?.disconnect();
  }
}

/** A connection that is opened to see whether it can be. */
interface Probe {
  connect(): Promise<unknown>;
  disconnect(): void;
}

async function openPostgres(url: string): Promise<Probe> {
  const { default: pg } = await loadPackage("pg", () => import("pg"));
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
  client.on("error", () => undefined);
  return { connect: () => client.connect(), disconnect: () => void client.end().catch(() => undefined) };
}

async function openRedis(url: string): Promise<Probe> {
  const { Redis } = await loadPackage("ioredis", () => import("ioredis"));
  const client = new Redis(url, { lazyConnect: true, maxRetriesPerRequest: 0, retryStrategy: () => null });
  let failure: unknown;
  client.on("error", (error) => {
    failure = error;
  });
  async function connect(): Promise<void> {
    try {
      await client.connect();
      await client.ping();
    } catch (error) {
      // The connection itself only says that it is closed.
      throw failure ?? error;
    }
  }
  return { connect, disconnect: () => client.disconnect() };
}
