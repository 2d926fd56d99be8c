import type { Job } from "bullmq";
import { invalidOption } from "keeplight/parts";
import { isOfDatabase } from "../ledger/database.ts";
import { getRetryAfterMs, type Outages } from "../outages.ts";
import { endsRun, isMismatch, isOfProcess, toProblem } from "../run/classify-error.ts";
import { type BatchContext, type BatchOutcome, isStored, runBatch, setOpenAside } from "../run/run-batch.ts";
import type { BatchJob } from "./engine.ts";

export type BatchAttempt = Pick<Job<BatchJob>, "data" | "attemptsMade" | "opts">;

/** What becomes of a job. */
export interface JobOutcome {
  /** `failed`: tried again later, as an attempt. `dropped`: removed. `left`: to any worker, and no attempt is counted. */
  is: "done" | "failed" | "dropped" | "left";
  /** Code of the error of a job that failed or is dropped. */
  code?: string;
  /** How many files of a batch that is done are set aside. @default 0 */
  setAside?: number;
  /** For how long no worker starts a batch, in milliseconds. @default 0 */
  holdMs?: number;
  /** For how long this worker takes no further job, in milliseconds. @default 0 */
  restMs?: number;
}

export interface AttemptContext {
  batches: BatchContext;
  outages: Outages;
  /** Tells the caller. Never fails. */
  report(error: unknown): void;
}

/** For how long a worker rests when a service, the ledger or itself is in no state to send, in milliseconds. */
const REST_MS = 5_000;

/**
 * Sends the batch of a job, or decides what follows its failure. Never fails. What only this worker may have, such as a network
 * that is down or a folder that is not there, stops neither the plan nor other workers, and uses up no attempt. A queue keeps
 * errors in clear, and their messages name paths: it receives their codes.
 */
export async function attemptBatch(
  job: BatchAttempt,
  { batches, outages, report }: AttemptContext,
): Promise<JobOutcome> {
  const { ledger, signal } = batches;
  try {
    const { plan: id, batch } = readJob(job.data);
    const plan = await ledger.getPlan(id);
    if (!plan) throw invalidOption("ledger", "the one that has the plans of the queue");
    const key = `${id} ${batch}`;
    try {
      const outcome = await runBatch(id, batch, batches);
      if (isStored(outcome)) outages.end(key);
      return toOutcome(outcome);
    } catch (error) {
      if (signal.aborted || isOfDatabase(error) || isOfProcess(error)) throw error;
      report(error);
      const { code } = toProblem(error);
      if (endsRun(error)) {
        await ledger.setState(id, "paused");
        return { is: "dropped", code };
      }
      const holdMs = getRetryAfterMs(error);
      if (outages.covers(key, error)) return { is: "left", holdMs, restMs: holdMs === 0 ? REST_MS : 0 };
      const isLast = job.attemptsMade + 1 >= (job.opts.attempts ?? 1);
      if (!isLast && !isMismatch(error)) return { is: "failed", code, holdMs };
      const isRepeated = outages.isRepeatedMismatch(error);
      const outcome = toOutcome(await setOpenAside(ledger, plan, batch, error));
      if (!isRepeated) return { ...outcome, holdMs };
      await ledger.setState(id, "paused");
      return { ...outcome, is: "dropped", code };
    }
  } catch (error) {
    report(error);
    if (signal.aborted) return { is: "left" };
    // The ledger cannot record what is decided, or others may be able to send the batch.
    if (isOfDatabase(error) || isOfProcess(error)) return { is: "left", restMs: REST_MS };
    return { is: "failed", code: toProblem(error).code };
  }
}

function toOutcome(outcome: BatchOutcome): JobOutcome {
  if (outcome === "busy") return { is: "left" };
  const rows = outcome === "stopped" ? [] : outcome;
  return { is: "done", setAside: rows.filter(({ problem }) => problem !== undefined).length };
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
