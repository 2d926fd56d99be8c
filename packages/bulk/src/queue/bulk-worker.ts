import { type OptionSchema, reference, resolveOptions, wait } from "keeplight/parts";
import { type BulkLedger, getLedger } from "../ledger/open-ledger.ts";
import { createOutages, reportError } from "../outages.ts";
import { type BulkRunOptions, bulkRunSchema, createContext } from "../run/run-options.ts";
import { attemptBatch, type JobOutcome } from "./attempt-batch.ts";
import { CLOSE_MS, closeQueue, connectionUrl, loadEngine } from "./engine.ts";

/** Options of {@link bulkWorker}. How often batches are tried is an option of `enqueueBulk`. */
export interface BulkWorkerOptions extends Omit<BulkRunOptions, "attempts" | "retryMs"> {
  /** URL of BullMQ's Redis or PostgreSQL. */
  connection: string;
  /** A ledger that all workers share: one in PostgreSQL. */
  ledger: BulkLedger;
  /**
   * Receives errors of batches, which are tried again or set aside, and of the queue, such as one whose memory is full: each kind
   * of those at once, and every minute while it lasts. What it throws or rejects with is ignored.
   *
   * @default none
   */
  onError?: ((error: unknown) => void) | undefined;
}

/** A worker that runs until it is closed. */
export interface BulkWorker {
  /** How many files it has set aside until now, in the batches that it has done. */
  readonly setAside: number;
  /** Takes no further batch, and resolves once those that are being sent are done. */
  close(): Promise<void>;
}

const { attempts: _, retryMs: __, ...workerSchema } = bulkRunSchema;

export const queueSchema = { connection: connectionUrl, ledger: reference<BulkLedger>() };

const schema = { ...workerSchema, ...queueSchema } satisfies OptionSchema<BulkWorkerOptions>;

/** A batch of a worker that was killed is taken over once its lock is this old, in milliseconds. */
const LOCK_MS = 15_000;
const STALLED_CHECK_MS = 5_000;

/** The largest integer of PostgreSQL. */
const MAX_INTEGER = 2 ** 31 - 1;

/** A batch that is left to any worker is tried again after this time, in milliseconds. */
const LEFT_MS = 2_000;

/**
 * Starts a worker that sends the batches of all plans in a queue of BullMQ, with `workers` batches at once. Start as many as
 * you like, on as many machines as you like. The limit of `batchesPerMinute` is for all of them together.
 *
 * A batch whose worker is killed is continued by another one. An error that every batch would end in, such as an invalid
 * API key, pauses the plan: `enqueueBulk` continues it. A worker that cannot send, such as one whose folder is not mounted,
 * leaves its batches to others, and calls `onError`.
 *
 * @throws `INVALID_OPTION`; `UNSUPPORTED` if `bullmq`, or `ioredis` or `pg`, is not installed; `NETWORK` if the queue cannot
 * be reached; `ABORTED`
 *
 * @example
 * const worker = await bulkWorker({ connection, ledger, upload: { apiKey } });
 * process.once("SIGTERM", () => worker.close());
 */
export async function bulkWorker(options: BulkWorkerOptions): Promise<BulkWorker> {
  const { connection, ledger, ...run } = resolveOptions(schema, options);
  const rows = getLedger(ledger);
  const engine = await loadEngine(connection);
  await engine.probe(run.signal);
  const batches = createContext(rows, run);
  // What nobody can open would end each batch.
  if (run.unlock !== undefined) await batches.encrypted.open();
  const report = (error: unknown) => reportError(run.onError, error);
  const limiter = toStartWindow(run.batchesPerMinute);
  let closed: Promise<void> | undefined;
  let resting: ReturnType<typeof setTimeout> | undefined;
  const active = new Set<Promise<JobOutcome>>();
  let setAside = 0;
  const context = { batches, outages: createOutages(run.outageMs), report };
  const reportOfQueue = engine.createReporter(report);
  const onQueueError = (error: unknown) => void (closed ?? reportOfQueue(error));
  const queue = engine.openQueue(onQueueError);

  const worker = engine.openWorker(
    async (job, token) => {
      const attempting = attemptBatch(job, context);
      active.add(attempting);
      const { is, code, holdMs = 0, restMs = 0, setAside: more = 0 } = await attempting;
      active.delete(attempting);
      setAside += more;
      // A hold that ends before the window of the limit would start the next one.
      if (holdMs > 0) await queue.rateLimit(Math.max(holdMs, limiter.duration));
      if (is === "failed") throw new Error(code);
      if (is === "dropped") throw new engine.errors.Unrecoverable(code);
      if (is === "done") return;
      await job.moveToDelayed(Date.now() + LEFT_MS, token);
      if (restMs > 0) takeRest(restMs);
      throw new engine.errors.Delayed();
    },
    {
      concurrency: run.workers,
      lockDuration: LOCK_MS,
      stalledInterval: STALLED_CHECK_MS,
      // What is killed again and again is no fault of the batch.
      maxStalledCount: MAX_INTEGER,
      limiter,
    },
    onQueueError,
  );

  /** Takes no further batch for so long: others may be able to send it. */
  function takeRest(ms: number): void {
    if (worker.isPaused()) return;
    void worker.pause(true);
    resting = setTimeout(() => void worker.resume(), ms);
  }

  async function close(): Promise<void> {
    clearTimeout(resting);
    const late = new AbortController();
    // Takes no further batch, and ends once the queue knows what became of the others: never, if it is down.
    const ended = worker.pause().catch(() => undefined);
    await Promise.all(active);
    await Promise.race([ended, wait(CLOSE_MS, late.signal)]);
    late.abort();
    await worker.close(true);
    await closeQueue(queue);
  }
  const closeOnce = () => {
    closed ??= close();
    return closed;
  };
  run.signal.addEventListener("abort", () => void closeOnce().catch(() => undefined), { once: true });
  await engine.withErrors(() => worker.waitUntilReady());
  return {
    close: closeOnce,
    get setAside() {
      return setAside;
    },
  };
}

const MINUTE_MS = 60_000;
const SECOND_MS = 1_000;

/** More than any engine starts in a second, and no more than the largest integer of PostgreSQL. */
const NO_LIMIT = 1_000_000_000;

/**
 * Returns how many batches may start within how many milliseconds, for a number of batches per minute: a window of about a
 * second, or longer for less than one batch in it, so that batches start evenly. Without a number, nothing is limited, but a
 * window has to exist for workers to be held.
 */
function toStartWindow(batchesPerMinute: number | undefined): { max: number; duration: number } {
  if (batchesPerMinute === undefined) return { max: NO_LIMIT, duration: SECOND_MS };
  const max = Math.max(1, Math.floor((batchesPerMinute * SECOND_MS) / MINUTE_MS));
  return { max, duration: Math.ceil((max * MINUTE_MS) / batchesPerMinute) };
}
