import type { Job } from "bullmq";
import { invalidOption } from "keeplight/parts";
import { isOfDatabase } from "../ledger/database.ts";
import type { Ledger, LedgerPlan } from "../ledger/ledger.ts";
import { endsRun, getRetryAfterMs, isMismatch, isOfProcess, type Outages, toProblem } from "../run/classify-error.ts";
import { type BatchContext, runBatch, setOpenAside } from "../run/run-batch.ts";
import type { BatchJob } from "./engine.ts";

export type BatchAttempt = Pick<Job<BatchJob>, "data" | "attemptsMade" | "opts">;

/** What becomes of a job. */
export interface JobOutcome {
  /** `failed`: tried again later, as an attempt. `dropped`: removed. `left`: to any worker, and no attempt is counted. */
  is: "done" | "failed" | "dropped" | "left";
  /** Code of the error of a job that failed or is dropped. */
  code?: string;
  /** For how long no worker starts a batch, in milliseconds. @default 0 */
  holdMs?: number;
  /** For how long this worker takes no further job, in milliseconds. @default 0 */
  restMs?: number;
}

export interface AttemptContext {
  ledger: Ledger;
  getContext(plan: LedgerPlan): BatchContext;
  outages: Outages;
  /** Tells the caller. Never fails. */
  report(error: unknown): void;
  signal: AbortSignal;
}

/**
 * Sends the batch of a job, or decides what follows its failure. Never fails. A queue keeps errors in clear, and their messages
 * name paths: it receives their codes.
 */
export async function attemptBatch(job: BatchAttempt, context: AttemptContext): Promise<JobOutcome> {
  const { ledger, report } = context;
  try {
    const { plan: id, batch } = readJob(job.data);
    const key = `${id} ${batch}`;
    let plan: LedgerPlan | undefined;
    try {
      plan = await ledger.getPlan(id);
      if (!plan) throw invalidOption("ledger", "the one that has the plans of the queue");
      const outcome = await runBatch(id, batch, context.getContext(plan));
      context.outages.end(key);
      return outcome === "busy" ? { is: "left" } : { is: "done" };
    } catch (error) {
      report(error);
      if (context.signal.aborted) return { is: "left" };
      const isCovered = context.outages.covers(key, error);
      const isLast = job.attemptsMade + 1 >= (job.opts.attempts ?? 1);
      return await followFailure(error, { plan, batch, isCovered, isLast }, ledger);
    }
  } catch (error) {
    report(error);
    // The ledger cannot record what was decided.
    if (isOfDatabase(error)) return { is: "left" };
    return { is: "failed", code: toProblem(error).code };
  }
}

/** Highest batch number that a ledger in a database can store. */
const MAX_BATCH = 2 ** 31 - 1;

/** Reads a job, which everyone who can reach the queue may have written. */
function readJob(data: BatchJob): BatchJob {
  const { plan, batch } = data;
  if (typeof plan !== "string" || !Number.isSafeInteger(batch) || batch < 0 || batch > MAX_BATCH) {
    throw new Error("The job is not one of enqueueBulk");
  }
  return { plan, batch };
}

/** For how long a worker rests when a service, the ledger or itself is in no state to send, in milliseconds. */
const REST_MS = 5_000;

interface FailedBatch {
  /** Absent if the ledger could not return it. */
  plan: LedgerPlan | undefined;
  batch: number;
  /** Whether the failure is part of an outage that is waited for. */
  isCovered: boolean;
  /** Whether the batch has no attempts left. */
  isLast: boolean;
}

/**
 * Decides what follows an error of a batch, and sets its files aside or pauses its plan. What only this worker may have, such as
 * a network that is down or a folder that is not there, stops neither the plan nor other workers, and uses up no attempt.
 */
async function followFailure(
  error: unknown,
  { plan, batch, isCovered, isLast }: FailedBatch,
  ledger: Ledger,
): Promise<JobOutcome> {
  const { code } = toProblem(error);
  const holdMs = getRetryAfterMs(error);
  if (isOfDatabase(error) || isOfProcess(error)) return { is: "left", restMs: REST_MS };
  if (endsRun(error)) {
    if (!plan) return { is: "left", holdMs };
    await ledger.setState(plan.id, "paused");
    return { is: "dropped", code };
  }
  if (isCovered || !plan) return { is: "left", holdMs, restMs: isCovered && holdMs === 0 ? REST_MS : 0 };
  if (!isLast && !isMismatch(error)) return { is: "failed", code, holdMs };
  const isBusy = (await setOpenAside(ledger, plan, batch, error)) === "busy";
  return { is: isBusy ? "left" : "done", holdMs };
}
