import { copyInput, type OptionSchema, resolveOptions, signal, untilAborted } from "keeplight/parts";
import { getLedger, listOpenPages, loadPlan } from "../ledger/open-ledger.ts";
import type { BulkPlan } from "../plan/plan.ts";
import { type BulkRunOptions, bulkRunSchema } from "../run/run-options.ts";
import { type BulkWorkerOptions, queueSchema } from "./bulk-worker.ts";
import { type BatchJobOptions, closeQueue, connectionUrl, loadEngine } from "./engine.ts";

/** Options of {@link enqueueBulk}. */
export interface EnqueueBulkOptions
  extends Pick<BulkWorkerOptions, "connection" | "ledger">,
    Pick<BulkRunOptions, "attempts" | "retryMs"> {
  /** Ends the call. @default none */
  signal?: AbortSignal | undefined;
}

const { attempts, retryMs } = bulkRunSchema;

const schema = { ...queueSchema, attempts, retryMs, signal } satisfies OptionSchema<EnqueueBulkOptions>;

const JOBS_AT_ONCE = 1_000;

/**
 * Adds the batches of a plan that are not done to a queue of BullMQ, for `bulkWorker` on any number of machines. A batch is in
 * the queue once, however often this is called: the same call continues a plan that is paused, or whose queue was lost.
 *
 * @returns how many batches are to be done
 * @throws `INVALID_OPTION`, also for a plan that is cancelled; `UNSUPPORTED` if `bullmq`, or `ioredis` or `pg`, is not
 * installed; `NETWORK` if the queue or the ledger cannot be reached, or refuses to store anything; `ABORTED`
 *
 * @example
 * const ledger = await openBulkLedger(database);
 * await enqueueBulk(plan, { connection: "redis://queue.internal", ledger });
 */
export async function enqueueBulk(plan: BulkPlan, options: EnqueueBulkOptions): Promise<number> {
  const { connection, attempts, retryMs, signal, ...resolved } = resolveOptions(schema, options);
  plan = copyInput(plan, "plan");
  const ledger = getLedger(resolved.ledger);
  const jobOptions: BatchJobOptions = {
    attempts,
    backoff: { type: "exponential", delay: retryMs },
    // The ledger knows what is done; a job that was removed can be added again.
    removeOnComplete: true,
    removeOnFail: true,
  };
  const engine = await loadEngine(connection);
  await engine.probe(signal);
  const queue = engine.openQueue();
  try {
    await engine.withErrors(() => untilAborted(queue.waitUntilReady(), signal));
    await loadPlan(ledger, plan, signal);
    let added = 0;
    for await (const batches of listOpenPages(ledger, plan.id, JOBS_AT_ONCE)) {
      const jobs = batches.map((batch) => ({
        // A queue is in clear: not the plan's name, which is that of a folder.
        name: "batch",
        data: { plan: plan.id, batch },
        opts: { ...jobOptions, jobId: `${plan.id}-${batch}` },
      }));
      await engine.withErrors(() => untilAborted(queue.addBulk(jobs), signal));
      added += batches.length;
    }
    return added;
  } finally {
    await closeQueue(queue, signal);
  }
}

/**
 * Opens the queue of all plans, a `Queue` of BullMQ, such as for bull-board.
 *
 * @throws `INVALID_OPTION`, `UNSUPPORTED`
 *
 * @example
 * createBullBoard({ queues: [new BullMQAdapter(await openBulkQueue(connection))], serverAdapter });
 */
export async function openBulkQueue<Queue = object>(connection: string): Promise<Queue> {
  return (await loadEngine(connectionUrl(connection, "connection"))).openQueue() as Queue;
}
