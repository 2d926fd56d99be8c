import type { Job } from "bullmq";
import { isKeeplightError } from "../../errors/base.ts";
import { checkOptions } from "../../validation/check-options.ts";
import { openBatchJournal } from "../journal/open-batch-journal.ts";
import { isDatabaseOutage } from "../ledger/database-error.ts";
import { type BulkLedger, getLedger } from "../ledger/handle.ts";
import type { Ledger, LedgerPlan } from "../ledger/types.ts";
import { endsRun, getRetryAfterMs, isMismatch, toProblem } from "../run/classify-error.ts";
import { createOutages } from "../run/outages.ts";
import { type BatchContext, type BatchOutcome, runBatch } from "../run/run-batch.ts";
import { type BulkRunOptions, createSender, type ResolvedRun, resolveRun, resolveSource } from "../run/run-options.ts";
import { setOpenAside } from "../run/set-open-aside.ts";
import { type BatchJob, type Engine, loadEngine } from "./engine.ts";
import { probeConnection } from "./probe-connection.ts";

/** Options of {@link bulkWorker}. How often batches are tried is an option of `enqueueBulk`. */
export interface BulkWorkerOptions extends Omit<BulkRunOptions, "attempts" | "retryMs"> {
  /** URL of BullMQ's Redis or PostgreSQL. */
  connection: string;
  /** A ledger that all workers share: one in PostgreSQL. */
  ledger: BulkLedger;
  /** Receives errors of batches, which are tried again or set aside. @default none */
  onError?: ((error: unknown) => void) | undefined;
}

/** A worker that runs until it is closed. */
export interface BulkWorker {
  /** Takes no further batch, and resolves once those that are being sent are done. */
  close(): Promise<void>;
}

const bulkWorkerNames = [
  "upload,workers,outageMs,batchesPerMinute,source,unlock,signal",
  "connection,ledger,onError",
] as const satisfies readonly string[];

/** A batch of a worker that was killed is taken over once its lock is this old, in milliseconds. */
const LOCK_MS = 15_000;
const STALLED_CHECK_MS = 5_000;

/** The largest integer of PostgreSQL. */
const MAX_INTEGER = 2 ** 31 - 1;

/** A batch that another worker still has is tried again after this time, in milliseconds. */
const BUSY_MS = 2_000;

/** All workers leave a service that is down alone for this time, in milliseconds. */
const OUTAGE_HOLD_MS = 5_000;

/**
 * Starts a worker that sends the batches of all plans in a queue of BullMQ, with `workers` batches at once. Start as many as
 * you like, on as many machines as you like. The limit of `batchesPerMinute` is for all of them together.
 *
 * A batch whose worker is killed is continued by another one. An error that every batch would end in, such as an invalid
 * API key, pauses the plan: `enqueueBulk` continues it.
 *
 * @throws `INVALID_OPTION`; `UNSUPPORTED` if `bullmq`, or `ioredis` or `pg`, is not installed; `NETWORK` if the queue cannot
 * be reached; `ABORTED`
 *
 * @example
 * const worker = await bulkWorker({ connection, ledger, upload: { apiKey } });
 * process.once("SIGTERM", () => worker.close());
 */
export async function bulkWorker(options: BulkWorkerOptions): Promise<BulkWorker> {
  options = checkOptions(options, bulkWorkerNames);
  const { onError, connection, ledger, ...rest } = options;
  const rows = getLedger(ledger);
  const run = resolveRun(rest);
  const engine = await loadEngine(connection);
  await probeConnection(connection, run.signal);
  // A worker that cannot open the journal would stop plans for all others.
  if (rest.unlock !== undefined) await openBatchJournal(rows, rest.unlock);
  const queue = engine.openQueue();
  const getContext = createContexts(rows, rest, run);
  const outages = createOutages(run.outageMs);
  const limiter =
    run.batchesPerMinute === undefined ? {} : { limiter: { max: run.batchesPerMinute, duration: 60_000 } };

  async function attempt(job: Pick<Job<BatchJob>, "data" | "attemptsMade" | "opts">): Promise<BatchOutcome> {
    const { plan: id, batch } = readJob(job.data);
    const key = `${id} ${batch}`;
    try {
      const plan = await rows.getPlan(id);
      if (!plan) return "stopped";
      try {
        const outcome = await runBatch(id, batch, getContext(plan));
        outages.end(key);
        return outcome;
      } catch (error) {
        onError?.(error);
        if (run.signal.aborted) return "busy";
        const isCovered = outages.covers(key, error);
        const failed = { engine, plan, batch, ledger: rows, queue, isCovered, isLast: isLastAttempt(job) };
        return await handleFailure(error, failed);
      }
    } catch (error) {
      // The ledger is back later.
      if (isDatabaseOutage(error)) return "busy";
      throw isKeeplightError(error) ? new Error(error.code) : error;
    }
  }

  const worker = engine.openWorker(
    async (job, token) => {
      if ((await attempt(job)) !== "busy") return;
      await job.moveToDelayed(Date.now() + BUSY_MS, token);
      throw new engine.errors.Delayed();
    },
    {
      concurrency: run.workers,
      lockDuration: LOCK_MS,
      stalledInterval: STALLED_CHECK_MS,
      // What is killed again and again is no fault of the batch.
      maxStalledCount: MAX_INTEGER,
      ...limiter,
    },
  );

  async function close(): Promise<void> {
    await worker.close();
    await queue.close();
  }
  run.signal.addEventListener("abort", () => void close().catch(() => undefined), { once: true });
  await worker.waitUntilReady();
  return { close };
}

/** Creates what a batch is run with, once for each plan. */
function createContexts(ledger: Ledger, options: BulkRunOptions, { signal }: ResolvedRun) {
  const contexts = new Map<string, BatchContext>();
  return (plan: LedgerPlan): BatchContext => {
    const existing = contexts.get(plan.id);
    if (existing) return existing;
    const context = {
      ledger,
      source: resolveSource(plan, options),
      sender: createSender(ledger, plan, options),
      signal,
    };
    contexts.set(plan.id, context);
    return context;
  };
}

/** What is needed to decide what follows a failure. */
interface Failed {
  engine: Engine;
  plan: LedgerPlan;
  batch: number;
  ledger: Ledger;
  queue: ReturnType<Engine["openQueue"]>;
  /** Whether it is part of an outage, and not counted as an attempt. */
  isCovered: boolean;
  isLast: boolean;
}

/** Pauses the plan, holds all workers, sets the files aside, or lets BullMQ try the batch again, as the error requires. */
async function handleFailure(
  error: unknown,
  { engine, plan, batch, ledger, queue, isCovered, isLast }: Failed,
): Promise<BatchOutcome> {
  if (isDatabaseOutage(error)) throw error;
  // A queue keeps the messages of errors in clear, and those of files name paths.
  const { code } = toProblem(error);
  if (endsRun(error)) {
    await ledger.setState(plan.id, "paused");
    throw new engine.errors.Unrecoverable(code);
  }
  const holdMs = Math.max(getRetryAfterMs(error), isCovered ? OUTAGE_HOLD_MS : 0);
  if (holdMs > 0) {
    await queue.rateLimit(holdMs);
    throw engine.errors.rateLimit();
  }
  if (!isLast && !isMismatch(error)) throw new Error(code);
  return setOpenAside(ledger, plan, batch, error);
}

function isLastAttempt({ attemptsMade, opts }: { attemptsMade: number; opts: { attempts?: number } }): boolean {
  return attemptsMade + 1 >= (opts.attempts ?? 1);
}

/** Of a ledger in a database. */
const MAX_BATCH = 2 ** 31 - 1;

/** Reads a job, which everyone who can reach the queue may have written. */
function readJob(data: BatchJob): BatchJob {
  const { plan, batch } = data;
  if (typeof plan !== "string" || !Number.isSafeInteger(batch) || batch < 0 || batch > MAX_BATCH) {
    throw new Error("The job is not one of enqueueBulk");
  }
  return { plan, batch };
}
