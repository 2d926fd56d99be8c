import { once } from "node:events";
import { bulkWorker, openBulkLedger, readBulkPlan, runBulk } from "../../src/bulk/index.ts";
import type { ChildJob } from "./child.ts";

// A process for tests that kill it: runs a plan itself, or as a worker of a queue.
process.once("message", async ({ engine, folder, connection, ledgerPlace, upload }: ChildJob) => {
  // It may arrive before the worker is ready.
  const closing = once(process, "message");
  const ledger = await openBulkLedger(ledgerPlace);
  const report = () => process.send?.({ rss: process.memoryUsage().rss });
  setInterval(report, 200).unref();
  if (engine === "embedded") {
    await runBulk(await readBulkPlan(folder), { upload, ledger, workers: 2, retryMs: 10 });
    await ledger.close();
    process.disconnect();
    return;
  }
  const worker = await bulkWorker({ connection, ledger, upload, workers: 1 });
  await closing;
  await worker.close();
  await ledger.close();
  process.disconnect();
});
