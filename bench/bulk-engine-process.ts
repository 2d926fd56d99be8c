import { once } from "node:events";
import { cpuUsage } from "node:process";
import {
  type BulkUploadOptions,
  bulkWorker,
  enqueueBulk,
  openBulkLedger,
  readBulkPlan,
  runBulk,
} from "../packages/bulk/src/index.ts";

// A process of bench/bulk-engine.ts: sends a plan itself, or adds it to a queue and is its worker.

/** What it works on. */
export interface EngineJob {
  /** Of the plan. */
  folder: string;
  ledgerPlace: string;
  /** Of the queue; none for a plan that is sent without one. */
  connection: string | undefined;
  upload: BulkUploadOptions;
  /** How many batches are sent at once. */
  workers: number;
}

const { folder, ledgerPlace, connection, upload, workers } = JSON.parse(process.argv[2] ?? "{}") as EngineJob;

const ledger = await openBulkLedger(ledgerPlace);
const plan = await readBulkPlan(folder);
process.send?.("ready");
await once(process, "message");

const before = cpuUsage();
const ended = once(process, "message");
if (connection === undefined) {
  await runBulk(plan, { ledger, upload, workers });
  await ended;
} else {
  await enqueueBulk(plan, { connection, ledger });
  const worker = await bulkWorker({ connection, ledger, upload, workers });
  await ended;
  await worker.close();
}
const { user, system } = cpuUsage(before);
await ledger.close();
process.send?.((user + system) / 1e6);
process.disconnect();
