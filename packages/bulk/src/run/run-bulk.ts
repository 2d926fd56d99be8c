import { join } from "node:path";
import {
  callback,
  copyInput,
  type OptionSchema,
  type Resolved,
  reference,
  resolveOptions,
  throwIfAborted,
  wait,
} from "keeplight/parts";
import { isDatabase } from "../ledger/database.ts";
import { countRows, type Ledger, type LedgerPlan, type StatusCount } from "../ledger/ledger.ts";
import { openLevelLedger } from "../ledger/level-ledger.ts";
import { type BulkLedger, getLedger, listOpenPages, loadPlan } from "../ledger/open-ledger.ts";
import { createOutages, getRetryAfterMs, MAX_OUTAGE_WAIT_MS, reportError } from "../outages.ts";
import { refuseInside } from "../plan/own-folders.ts";
import type { BulkPlan } from "../plan/plan.ts";
import { endsRun, isMismatch } from "./classify-error.ts";
import { type BatchOutcome, getSource, isStored, runBatch, setOpenAside } from "./run-batch.ts";
import { type BulkRunOptions, bulkRunSchema, createContext, type ResolvedRun } from "./run-options.ts";
import { type BulkStatus, startStatusWriter, toStatus } from "./status.ts";

/** Options of {@link runBulk}. */
export interface RunBulkOptions extends BulkRunOptions {
  /** Where the rows of the files are. @default a ledger in the folder of the plan */
  ledger?: BulkLedger | undefined;
  /** Receives how far the plan is, after each batch. @default none */
  onProgress?: ((status: BulkStatus) => void) | undefined;
}

const schema = {
  ...bulkRunSchema,
  ledger: reference<BulkLedger>(),
  onProgress: callback<(status: BulkStatus) => void>(),
} satisfies OptionSchema<RunBulkOptions>;

/**
 * Sends the files of a plan, in this process. What is done already is not done again: if the process ends, the same call
 * continues. A batch that fails is tried again; files that cannot be sent are set aside with their errors, and do not stop the
 * others. A service that is down is waited for.
 *
 * Resolves once every file is done or set aside, or the plan is paused.
 *
 * @throws `INVALID_OPTION`, also if another process uses the ledger or its folder is inside the one that is sent, and for a plan
 * that is cancelled; `UNSUPPORTED` if
 * `classic-level` is not installed; `ABORTED`; at once, what every batch would end in, such as `HTTP_STATUS` 401;
 * `CID_MISMATCH` for the second batch in a row whose content id the upload node does not confirm
 *
 * @example
 * const { filesDone, setAside } = await runBulk(plan, { upload: { apiKey } });
 */
export async function runBulk(plan: BulkPlan, options: RunBulkOptions): Promise<BulkStatus> {
  const resolved = resolveOptions(schema, options);
  plan = copyInput(plan, "plan");
  if (resolved.ledger) {
    const ledger = getLedger(resolved.ledger);
    if (!isDatabase(ledger.place)) await refuseInside("ledger", ledger.place, plan);
    return runPlan(ledger, plan, resolved);
  }
  await refuseInside("plan", plan.folder, plan);
  const ledger = await openLevelLedger(join(plan.folder, "ledger"));
  try {
    return await runPlan(ledger, plan, resolved);
  } finally {
    await ledger.close();
  }
}

async function runPlan(ledger: Ledger, plan: BulkPlan, { onProgress, ...run }: Resolved<typeof schema>) {
  const stored = await loadPlan(ledger, plan, run.signal);
  const progress: RunCounts = { counts: await ledger.count(plan.id), report: onProgress };
  const readStatus = async () => toStatus((await ledger.getPlan(plan.id)) ?? stored, progress.counts);
  onProgress?.(toStatus(stored, progress.counts));
  const endStatus = startStatusWriter(ledger.place, plan.id, readStatus);
  try {
    await runOpenBatches(ledger, stored, run, progress);
    progress.counts = await ledger.count(plan.id);
    return await readStatus();
  } finally {
    await endStatus();
  }
}

interface RunCounts {
  counts: StatusCount[];
  report: ((status: BulkStatus) => void) | undefined;
}

async function runOpenBatches(
  ledger: Ledger,
  stored: LedgerPlan,
  run: ResolvedRun,
  progress: RunCounts,
): Promise<void> {
  // Ends the other workers if one of them fails.
  const stop = new AbortController();
  const signal = AbortSignal.any([run.signal, stop.signal]);
  const context = createContext(ledger, { ...run, signal });
  getSource(stored, run.source);
  if (stored.encrypted) await context.encrypted.open();
  const limiter = createLimiter(run.batchesPerMinute);
  const outages = createOutages(run.outageMs);
  const batches = listOpenBatches(ledger, stored.id);

  /** Runs a batch, and tries again what may succeed then; at last, sets its files aside. */
  async function tryBatch(batch: number): Promise<BatchOutcome> {
    const key = String(batch);
    let attempts = 0;
    for (let failures = 0; ; failures++) {
      await limiter.take(signal);
      try {
        const outcome = await runBatch(stored.id, batch, context);
        if (isStored(outcome)) outages.end(key);
        return outcome;
      } catch (error) {
        throwIfAborted(signal);
        if (endsRun(error)) throw error;
        // What a listener throws says nothing about the batch.
        reportError(run.onError, error);
        limiter.hold(getRetryAfterMs(error));
        const waitMs = run.retryMs * 2 ** Math.min(failures, MAX_DOUBLINGS);
        if (outages.covers(key, error)) {
          await wait(Math.min(waitMs, MAX_OUTAGE_WAIT_MS), signal);
          continue;
        }
        const isRepeated = outages.isRepeatedMismatch(error);
        if (isMismatch(error) || ++attempts >= run.attempts) {
          const rows = await setOpenAside(ledger, stored, batch, error);
          if (isRepeated) throw error;
          return rows;
        }
        await wait(waitMs, signal);
      }
    }
  }

  async function runOne(batch: number): Promise<BatchOutcome> {
    const before = await ledger.read(stored.id, batch);
    const outcome = await tryBatch(batch);
    if (typeof outcome !== "string") {
      countRows(progress.counts, before, -1);
      countRows(progress.counts, outcome);
      progress.report?.(toStatus(stored, progress.counts));
    }
    return outcome;
  }

  async function work(): Promise<void> {
    const busy: number[] = [];
    for (;;) {
      const batch = await batches.next();
      if (batch.done) break;
      const outcome = await runOne(batch.value);
      if (outcome === "stopped") return;
      if (outcome === "busy") busy.push(batch.value);
    }
    // Their owners may be killed.
    for (const batch of busy) {
      while ((await runOne(batch)) === "busy") await wait(BUSY_MS, signal);
      progress.counts = await ledger.count(stored.id);
    }
  }

  const workers = Array.from({ length: Math.min(run.workers, stored.batches) }, () =>
    work().catch((error) => {
      stop.abort(error);
      throw error;
    }),
  );
  const ended = await Promise.allSettled(workers);
  throwIfAborted(run.signal);
  const failed = ended.find((each) => each.status === "rejected");
  if (failed) throw stop.signal.reason;
}

/** A batch that another process has is tried again after this time, in milliseconds. */
const BUSY_MS = 1_000;

const LISTED_AT_ONCE = 100;

/** Yields each batch that is not done once, to any caller of `next`. */
async function* listOpenBatches(ledger: Ledger, id: string): AsyncGenerator<number> {
  for await (const page of listOpenPages(ledger, id, LISTED_AT_ONCE)) yield* page;
}

const MAX_DOUBLINGS = 20;

const MINUTE_MS = 60_000;

/** Creates what paces the batches of all workers of this process. */
function createLimiter(batchesPerMinute: number | undefined) {
  const interval = batchesPerMinute === undefined ? 0 : MINUTE_MS / batchesPerMinute;
  let next = 0;
  return {
    /** Resolves when the next batch may start. */
    async take(signal: AbortSignal): Promise<void> {
      const now = performance.now();
      const at = Math.max(now, next);
      next = at + interval;
      if (at > now) await wait(at - now, signal);
    },
    /** Lets no batch start for so long, as a service has requested. */
    hold(ms: number): void {
      next = Math.max(next, performance.now() + ms);
    },
  };
}
