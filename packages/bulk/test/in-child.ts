import { once } from "node:events";
import { bulkWorker, openBulkLedger, planBulk, readBulkPlan, runBulk } from "../src/index.ts";
import type { ChildBucket, ChildJob } from "./child.ts";

// A process for tests that kill it: runs a plan itself, or as a worker of a queue.
process.once("message", async (job: ChildJob) => {
  const { engine, folder, connection, ledgerPlace, privateKey, unlock } = job;
  // It may arrive before the worker is ready.
  const closing = once(process, "message");
  const owner = privateKey === undefined ? {} : await toOwner(privateKey);
  const upload = { ...job.upload, ...owner };
  const source = job.bucket && (await toSource(job.bucket));
  const ledger = await openBulkLedger(ledgerPlace);
  // The channel is closed at the end.
  const report = () => process.connected && process.send?.({ rss: process.memoryUsage().rss });
  setInterval(report, 200).unref();
  if (engine === "embedded") {
    const encrypted = privateKey !== undefined;
    const plan = source ? (await planBulk(source, { folder, encrypted })).plan : await readBulkPlan(folder);
    // With one worker, more of a batch is done when it is killed.
    await runBulk(plan, { upload, ledger, unlock, source, workers: source ? 1 : 2, retryMs: 10 });
    await ledger.close();
    process.disconnect();
    return;
  }
  const worker = await bulkWorker({ connection, ledger, upload, unlock, source, workers: 1 });
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

/** Loads the AWS SDK only for buckets. */
async function toSource({ endpoint, ...credentials }: ChildBucket) {
  const [{ S3Client }, { s3Source }, { BUCKET, REGION }] = await Promise.all([
    import("@aws-sdk/client-s3"),
    import("../../s3/src/index.ts"),
    import("../../../test/support/s3-server.ts"),
  ]);
  const client = new S3Client({ endpoint, region: REGION, credentials, forcePathStyle: true });
  return s3Source({ bucket: BUCKET, client });
}
