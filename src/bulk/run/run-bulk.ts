import { join } from "node:path";
import { throwIfAborted, wait } from "../../async/abort.ts";
import { checkOptions } from "../../validation/check-options.ts";
import { type BulkLedger, getLedger } from "../ledger/handle.ts";
import { openLevelLedger } from "../ledger/level-ledger.ts";
import { loadPlan } from "../ledger/load-plan.ts";
import { countRows } from "../ledger/rows.ts";
import type { Ledger, LedgerPlan } from "../ledger/types.ts";
import type { BulkPlan } from "../plan/types.ts";
import { endsRun, getRetryAfterMs } from "./classify-error.ts";
import { createLimiter, type Limiter } from "./limiter.ts";
import { type BatchContext, type BatchOutcome, runBatch } from "./run-batch.ts";
import {
  type BulkRunOptions,
  bulkRunNames,
  createSender,
  type ResolvedRun,
  resolveRun,
  resolveSource,
} from "./run-options.ts";
import { setOpenAside } from "./set-open-aside.ts";
import { type BulkStatus, toStatus } from "./status.ts";

/** Options of {@link runBulk}. */
export interface RunBulkOptions extends BulkRunOptions {
  /** Where the rows of the files are. @default a ledger in the folder of the plan */
  ledger?: BulkLedger | undefined;
  /** Receives how far the plan is, after each batch. @default none */
  onProgress?: ((status: BulkStatus) => void) | undefined;
}

const runBulkNames = [bulkRunNames, "ledger,onProgress"] as const;

/**
 * Sends the files of a plan, in this process. What is done already is not done again: if the process ends, the same call
 * continues. A batch that fails is tried again; files that cannot be sent are set aside with their errors, and do not stop the
 * others.
 *
 * Resolves once every file is done or set aside, or the plan is paused.
 *
 * @throws `INVALID_OPTION`, also if another process uses the ledger, and for a plan that is cancelled; `UNSUPPORTED` if
 * `classic-level` is not installed; `ABORTED`; at once, what every batch would end in, such as `HTTP_STATUS` 401
 *
 * @example
 * const { filesDone, setAside } = await runBulk(plan, { upload: { apiKey } });
 */
export async function runBulk(plan: BulkPlan, options: RunBulkOptions): Promise<BulkStatus> {
  options = checkOptions(options, runBulkNames);
  const run = resolveRun(options);
  if (options.ledger) return runPlan(getLedger(options.ledger), plan, run, options);
  const ledger = await openLevelLedger(join(plan.folder, "ledger"));
  try {
    return await runPlan(ledger, plan, run, options);
  } finally {
    await ledger.close();
  }
}

async function runPlan(
  ledger: Ledger,
  plan: BulkPlan,
  run: ResolvedRun,
  { onProgress, ...options }: RunBulkOptions,
): Promise<BulkStatus> {
  const stored = await loadPlan(ledger, plan, run.signal);
  const counts = (await ledger.count(plan.id)).map((count) => ({ ...count }));
  onProgress?.(toStatus(stored, counts));
  // Ends the other workers if one of them fails.
  const stop = new AbortController();
  const signal = AbortSignal.any([run.signal, stop.signal]);
  const context = { ledger, source: resolveSource(stored, options), sender: createSender(stored, options), signal };
  const limiter = createLimiter(run.batchesPerMinute);
  const batches = listOpenBatches(ledger, plan.id);

  async function work(): Promise<void> {
    for (;;) {
      const batch = await batches.next();
      if (batch.done) return;
      const outcome = await tryBatch(stored, batch.value, { context, run, limiter });
      if (outcome === "stopped") return;
      if (outcome === "busy") continue;
      countRows(counts, outcome.before, -1);
      countRows(counts, outcome.after);
      onProgress?.(toStatus(stored, counts));
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
  return toStatus((await ledger.getPlan(plan.id)) ?? stored, await ledger.count(plan.id));
}

const LISTED_AT_ONCE = 100;

/** Yields each batch that is not done once, whoever calls `next`. */
async function* listOpenBatches(ledger: Ledger, id: string): AsyncGenerator<number> {
  for (let after = -1; ; ) {
    const some = await ledger.listOpen(id, after, LISTED_AT_ONCE);
    yield* some;
    const last = some.at(-1);
    if (last === undefined) return;
    after = last;
  }
}

/** Runs a batch, and tries again what may succeed then; at last, sets its files aside. */
async function tryBatch(
  plan: LedgerPlan,
  batch: number,
  { context, run, limiter }: { context: BatchContext; run: ResolvedRun; limiter: Limiter },
): Promise<BatchOutcome> {
  const { ledger, signal } = context;
  for (let attempt = 1; ; attempt++) {
    await limiter.take(signal);
    try {
      return await runBatch(plan.id, batch, context);
    } catch (error) {
      throwIfAborted(signal);
      if (endsRun(error)) throw error;
      limiter.hold(getRetryAfterMs(error));
      if (attempt >= run.attempts) return setOpenAside(ledger, plan, batch, error);
      await wait(run.retryMs * 2 ** (attempt - 1), signal);
    }
  }
}
