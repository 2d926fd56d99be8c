import { once } from "node:events";
import { bulkWorker, openBulkLedger, readBulkPlan, runBulk } from "../src/index.ts";
import type { ChildJob } from "./child.ts";

// A process for tests that kill it: runs a plan itself, or as a worker of a queue.
process.once("message", async (job: ChildJob) => {
  const { engine, folder, connection, ledgerPlace, privateKey, unlock } = job;
  // It may arrive before the worker is ready.
  const closing = once(process, "message");
  const owner = privateKey === undefined ? {} : await toOwner(privateKey);
  const upload = { ...job.upload, ...owner };
  const ledger = await openBulkLedger(ledgerPlace);
  // The channel is closed at the end.
  const report = () => process.connected && process.send?.({ rss: process.memoryUsage().rss });
  setInterval(report, 200).unref();
  if (engine === "embedded") {
    await runBulk(await readBulkPlan(folder), { upload, ledger, unlock, workers: 2, retryMs: 10 });
    await ledger.close();
    process.disconnect();
    return;
  }
  const worker = await bulkWorker({ connection, ledger, upload, unlock, workers: 1 });
  await closing;
  await worker.close();
  await ledger.close();
  process.disconnect();
});

/** Loads ethers only for encrypted plans: its memory is not the worker's. */
async function toOwner(privateKey: string) {
  const { Wallet } = await import("ethers");
  return { signer: new Wallet(privateKey), pauseMs: 0 };
}
