import type { ConnectionOptions, JobsOptions, Processor, Queue, WorkerOptions } from "bullmq";
import { isKeeplightError, type KeeplightError } from "keeplight";
import { type Check, invalidOption, untilAborted } from "keeplight/parts";
import { cannotUse, isDatabase, loadPackage, readPlace, withErrors } from "../ledger/database.ts";

const QUEUE = "keeplight-bulk";

/** All that a job says: nothing in a queue is secret. */
export interface BatchJob {
  /** Id of the plan. */
  plan: string;
  batch: number;
}

type OnError = (error: unknown) => void;
export type BatchJobOptions = JobsOptions;

/** The URL of a connection: `redis://`, `rediss://` or `postgres://`. */
export const connectionUrl: Check<string> = (url, name) => {
  if (typeof url !== "string" || !/^(rediss?|postgres(ql)?):\/\//i.test(url)) {
    throw invalidOption(name, "a redis:// or postgres:// URL");
  }
  readPlace(name, url);
  return url;
};

/**
 * Loads BullMQ on Redis or on PostgreSQL. A connection that breaks is opened again; `onError` receives its errors.
 *
 * @throws `UNSUPPORTED`
 */
export async function loadEngine(url: string) {
  const bullmq = await loadPackage("bullmq", () => import("bullmq"));
  const isPostgres = isDatabase(url);
  await (isPostgres ? loadPackage("pg", () => import("pg")) : loadPackage("ioredis", () => import("ioredis")));
  // They differ in nothing else.
  const { Queue, Worker } = isPostgres
    ? (bullmq.withBackend(bullmq.createPostgresBackend) as unknown as typeof bullmq)
    : bullmq;
  // `migrate` creates the tables of BullMQ in the schema `bullmq`, if they are not there.
  const options = isPostgres ? { connectionString: url, migrate: true } : { url, maxRetriesPerRequest: null };
  const connection = options as ConnectionOptions;
  const toError = (error: unknown) => cannotUseQueue(url, error);
  return {
    /** Connects once, and disconnects: BullMQ itself would wait for a service that does not exist for ever. */
    probe: (signal: AbortSignal | undefined) => probeConnection(url, signal),
    openQueue: (onError?: OnError) => withListener(new Queue<BatchJob>(QUEUE, { connection }), onError),
    openWorker: (run: Processor<BatchJob, void>, options: Omit<WorkerOptions, "connection">, onError: OnError) =>
      withListener(new Worker<BatchJob>(QUEUE, run, { ...options, connection }), onError),
    /** What a job throws that BullMQ treats in a way of its own. */
    errors: { Delayed: bullmq.DelayedError, Unrecoverable: bullmq.UnrecoverableError },
    /** Throws `NETWORK` for what the queue or the connection refuses, such as to store more than its memory holds. */
    withErrors: <T>(work: () => Promise<T>) => withErrors(toError, work),
    createReporter: (report: OnError) => createReporter((error) => report(toError(error))),
  };
}

/** For how long a queue that is down may keep a call from ending, in milliseconds. */
export const CLOSE_MS = 5_000;

/** Closes a queue: at once if `signal` fires, and also one that is down, which could not be told. */
export async function closeQueue(queue: Queue, signal?: AbortSignal): Promise<void> {
  const timeout = AbortSignal.timeout(CLOSE_MS);
  await untilAborted(queue.close(), signal ? AbortSignal.any([signal, timeout]) : timeout).catch(() => undefined);
  // Ends its attempts to connect; whether that is reported depends on the state of the connection.
  void queue.disconnect().catch(() => undefined);
}

/** Without a listener an error of a connection would end the process. */
function withListener<Emitter extends { on(event: "error", listener: OnError): unknown }>(
  emitter: Emitter,
  onError: OnError = () => undefined,
): Emitter {
  emitter.on("error", onError);
  return emitter;
}

const CONNECT_TIMEOUT_MS = 10_000;

async function probeConnection(url: string, signal: AbortSignal | undefined): Promise<void> {
  const timeout = AbortSignal.timeout(CONNECT_TIMEOUT_MS);
  let probe: Awaited<ReturnType<typeof openRedis | typeof openPostgres>> | undefined;
  try {
    probe = isDatabase(url) ? await openPostgres(url) : await openRedis(url);
    await untilAborted<unknown>(probe.connect(), signal ? AbortSignal.any([signal, timeout]) : timeout);
  } catch (error) {
    if (signal?.aborted || isKeeplightError(error, "UNSUPPORTED")) throw error;
    throw cannotUseQueue(url, timeout.aborted ? { message: "The queue did not respond", code: "ETIMEDOUT" } : error);
  } finally {
    probe?.disconnect();
  }
}

async function openPostgres(url: string) {
  const { default: pg } = await loadPackage("pg", () => import("pg"));
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
  client.on("error", () => undefined);
  return { connect: () => client.connect(), disconnect: () => void client.end().catch(() => undefined) };
}

async function openRedis(url: string) {
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

/** An error of the same kind is reported again after this time, in milliseconds. */
const REPORT_AGAIN_MS = 60_000;

/** @param url - of the queue; its credentials are left out */
function cannotUseQueue(url: string, error: unknown): KeeplightError<"NETWORK"> {
  return cannotUse("queue", readPlace("connection", url), "QUEUE", toCause(error));
}

/**
 * Creates what reports errors of the connections to a queue: the first of each kind at once, and one a minute while it lasts. The
 * connections try again several times a second.
 */
function createReporter(report: OnError): OnError {
  const reportedAt = new Map<string, number>();
  return (error) => {
    const { code } = toCause(error);
    const now = performance.now();
    if (now - (reportedAt.get(code) ?? Number.NEGATIVE_INFINITY) < REPORT_AGAIN_MS) return;
    reportedAt.set(code, now);
    report(error);
  };
}

/**
 * Copies what an error of a driver says, with its code. The error itself has the command that failed, and with it the
 * password. The text of a Redis reply may repeat the command: only its first word is kept, such as `WRONGPASS` or `OOM`.
 */
function toCause(error: unknown): Error & { code: string } {
  const { name, message = "", code = "UNKNOWN" } = error as { name?: string; message?: string; code?: string };
  if (name !== "ReplyError") return Object.assign(new Error(message), { code });
  const [reply = "UNKNOWN"] = /^[A-Z]+/.exec(message) ?? [];
  return Object.assign(new Error(`The queue replied ${reply}`), { code: reply });
}
