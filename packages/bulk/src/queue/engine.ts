import type { Job, JobsOptions, Queue, Worker, WorkerOptions } from "bullmq";
import { type Check, invalidOption, untilAborted } from "keeplight/parts";
import { readPlace } from "../ledger/connection-url.ts";
import { isDatabase } from "../ledger/is-database.ts";
import { loadPackage } from "../ledger/optional-package.ts";

/** Name of the queue that all plans share. */
const QUEUE = "keeplight-bulk";

/** All that a job says: nothing in a queue is secret. */
export interface BatchJob {
  /** Id of the plan. */
  plan: string;
  batch: number;
}

/** BullMQ on Redis or on PostgreSQL. A connection that breaks is opened again; `onError` receives its errors. */
export interface Engine {
  openQueue(onError?: OnError): Queue<BatchJob>;
  openWorker(
    run: (job: Job<BatchJob>, token?: string) => Promise<void>,
    options: EngineWorkerOptions,
    onError: OnError,
  ): Worker<BatchJob>;
  /** What a job throws that BullMQ treats in a way of its own. */
  errors: { Delayed: new () => Error; Unrecoverable: new (message?: string) => Error };
}

type OnError = (error: unknown) => void;
type EngineWorkerOptions = Omit<WorkerOptions, "connection">;
export type BatchJobOptions = JobsOptions;

/** The URL of a connection: `redis://`, `rediss://` or `postgres://`. */
export const connectionUrl: Check<string> = (url, name) => {
  if (typeof url !== "string" || !/^(rediss?|postgres(ql)?):\/\//i.test(url)) {
    throw invalidOption(name, "a redis:// or postgres:// URL");
  }
  readPlace(name, url);
  return url;
};

/** Loads BullMQ for the URL of a connection; throws `UNSUPPORTED`. */
export async function loadEngine(url: string): Promise<Engine> {
  const bullmq = await loadPackage("bullmq", () => import("bullmq"));
  const { DelayedError: Delayed, UnrecoverableError: Unrecoverable } = bullmq;
  const errors = { Delayed, Unrecoverable };
  if (isDatabase(url)) {
    await loadPackage("pg", () => import("pg"));
    const { Queue, Worker } = bullmq.withBackend(bullmq.createPostgresBackend);
    // Creates the tables of BullMQ in the schema `bullmq`, if they are not there.
    const connection = { connectionString: url, migrate: true };
    return {
      // Neither differs in anything else.
      openQueue: (onError) =>
        withListener(new Queue<BatchJob>(QUEUE, { connection }) as unknown as Queue<BatchJob>, onError),
      openWorker: (run, options, onError) =>
        withListener(
          new Worker<BatchJob>(QUEUE, run, { ...options, connection }) as unknown as Worker<BatchJob>,
          onError,
        ),
      errors,
    };
  }
  await loadPackage("ioredis", () => import("ioredis"));
  const connection = { url, maxRetriesPerRequest: null };
  return {
    openQueue: (onError) => withListener(new bullmq.Queue<BatchJob>(QUEUE, { connection }), onError),
    openWorker: (run, options, onError) =>
      withListener(new bullmq.Worker<BatchJob>(QUEUE, run, { ...options, connection }), onError),
    errors,
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
