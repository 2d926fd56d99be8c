import { inspect } from "node:util";
import type { Queue } from "bullmq";
import { Redis } from "ioredis";
import pg from "pg";
import { afterEach, expect, test } from "vitest";
import { isKeeplightError } from "../../../src/index.ts";
import { startRedis } from "../../../test/support/databases.ts";
import { devnetForTests } from "../../../test/support/devnet-wire.ts";
import { failure } from "../../../test/support/failure.ts";
import { scratch } from "../../../test/support/files.ts";
import {
  type BulkWorkerOptions,
  bulkWorker,
  enqueueBulk,
  getBulkStatus,
  openBulkLedger,
  openBulkQueue,
} from "../src/index.ts";
import { databasesForTests } from "./engines.ts";
import { countUploads, misreportUploads, planBatches, planDataset } from "./rig.ts";

const devnet = devnetForTests();
const databases = databasesForTests();

afterEach(() => {
  devnet().faults.clear();
  devnet().attacks.clear();
});

/** Enqueues batches of a file each on Redis; collects the codes of the errors of workers. */
async function prepare(count: number, enqueued: { attempts?: number; retryMs?: number } = {}) {
  const { plan, upload } = await planBatches(devnet(), count);
  const ledger = await openBulkLedger(databases.ledger());
  const connection = databases.connectionOf("Redis");
  await enqueueBulk(plan, { connection, ledger, retryMs: 1, ...enqueued });
  const codes: string[] = [];
  const onError = (error: unknown) => void codes.push(isKeeplightError(error) ? error.code : "UNKNOWN");
  const options: BulkWorkerOptions = { connection, ledger, upload, onError, workers: 1 };
  const untilDone = () => expect.poll(async () => (await getBulkStatus(plan, ledger)).filesDone).toBe(count);
  return { plan, ledger, connection, options, codes, untilDone };
}

test("a ledger that refuses every statement for a while loses no batch of the queue", async () => {
  const { options, codes, untilDone, ledger } = await prepare(4, { attempts: 1 });
  const client = new pg.Client(databases.ledger());
  await client.connect();
  await client.query("alter table keeplight.bulk_plan rename to elsewhere");
  const worker = await bulkWorker(options);
  await expect.poll(() => codes).toContain("NETWORK");
  await client.query("alter table keeplight.elsewhere rename to bulk_plan");
  await untilDone();
  await worker.close();
  await client.end();
  await ledger.close();
});

test("a job of a plan that the ledger does not have stays for workers of another ledger", async () => {
  const { options, codes, untilDone, ledger, connection } = await prepare(1);
  const queue = await openBulkQueue<Queue>(connection);
  const job = await queue.add("batch", { plan: "0".repeat(32), batch: 0 }, { attempts: 1, removeOnFail: true });
  const worker = await bulkWorker(options);
  await untilDone();
  await expect.poll(() => codes).toContain("INVALID_OPTION");
  await worker.close();
  expect(await queue.getJob(job.id ?? "")).toBeDefined();
  await job.remove();
  await queue.close();
  await ledger.close();
});

test("a worker that cannot send leaves its batches, and the plan, to others", async () => {
  const { options, codes, untilDone, ledger, plan, connection } = await prepare(12);
  const empty = await scratch();
  const unmounted = await bulkWorker({ ...options, workers: 4, source: { root: empty } });
  await expect.poll(() => codes).toContain("SOURCE_UNREADABLE");
  // A port that nobody may listen on.
  const endpoints = { ...devnet().endpoints, upload: "http://127.0.0.1:9" };
  const offline = await bulkWorker({ ...options, upload: { ...options.upload, endpoints }, batchesPerMinute: 6_000 });
  await expect.poll(() => codes).toContain("NETWORK");
  const queue = await openBulkQueue<Queue>(connection);
  // The window of the limit is a second: nobody holds the others for longer.
  expect(await queue.getRateLimitTtl()).toBeLessThanOrEqual(1_000);
  const healthy = await bulkWorker({ ...options, batchesPerMinute: 6_000 });
  await untilDone();
  expect(await getBulkStatus(plan, ledger)).toMatchObject({ state: "done", setAside: 0 });
  await Promise.all([unmounted, offline, healthy].map((worker) => worker.close()));
  await queue.close();
  await ledger.close();
});

test("an upload node that names other content ids for two batches in a row pauses the plan", async () => {
  const { options, codes, ledger, plan } = await prepare(4);
  const before = countUploads(devnet());
  misreportUploads(devnet());
  const worker = await bulkWorker(options);
  const status = () => getBulkStatus(plan, ledger);
  await expect.poll(status).toMatchObject({ state: "paused", setAside: 2 });
  await worker.close();
  expect(worker.setAside).toBe(2);
  expect(codes).toEqual(["CID_MISMATCH", "CID_MISMATCH"]);
  expect(countUploads(devnet()) - before).toBe(2);
  await ledger.close();
});

test("a service that requests to be left alone is left alone by all workers, also without a limit", async () => {
  const { options, codes, ledger } = await prepare(4);
  devnet().faults.add({
    service: "upload",
    action: { kind: "respond", status: 429, headers: { "retry-after": "60" } },
  });
  const sent = () =>
    devnet()
      .requests()
      .filter(({ service }) => service === "upload").length;
  const before = sent();
  const first = await bulkWorker({ ...options, upload: { ...options.upload, attempts: 1 } });
  await expect.poll(() => codes).toEqual(["HTTP_STATUS"]);
  const queue = await openBulkQueue<Queue>(options.connection);
  await expect.poll(() => queue.getRateLimitTtl()).toBeGreaterThan(10_000);
  const second = await bulkWorker(options);
  const left = await queue.getRateLimitTtl();
  // Enough to start the other three.
  await expect.poll(() => queue.getRateLimitTtl()).toBeLessThan(left - 1_000);
  await Promise.all([first.close(), second.close()]);
  expect(sent() - before).toBe(1);
  await queue.removeRateLimitKey();
  await queue.obliterate({ force: true });
  await queue.close();
  await ledger.close();
});

test("what `onError` throws neither changes what follows nor reaches the queue", async () => {
  const { options, ledger } = await prepare(2, { attempts: 2, retryMs: 60_000 });
  devnet().faults.add({ service: "upload", action: { kind: "respond", status: 503 } });
  const worker = await bulkWorker({
    ...options,
    outageMs: 0,
    onError() {
      throw new Error("the log of /secret/path is full");
    },
  });
  const queue = await openBulkQueue<Queue>(options.connection);
  const reasons = async () => (await queue.getJobs()).map(({ failedReason }) => failedReason);
  await expect.poll(reasons).toEqual(["HTTP_STATUS", "HTTP_STATUS"]);
  await worker.close();
  await queue.obliterate({ force: true });
  await queue.close();
  await ledger.close();
});

test("a queue that is down keeps neither a worker nor `enqueueBulk` from ending", async () => {
  const { plan, upload } = await planDataset(devnet(), 1);
  const ledger = await openBulkLedger(databases.ledger());
  const redis = await startRedis();
  const worker = await bulkWorker({ connection: redis.url, ledger, upload });
  const abort = new AbortController();
  const client = new pg.Client(databases.ledger());
  await client.connect();
  await client.query("begin");
  await client.query("lock table keeplight.bulk_plan");
  const call = failure(enqueueBulk(plan, { connection: redis.url, ledger, signal: abort.signal }));
  // A queue that is down before the call has reached it is an error at once.
  const waiting = "select from pg_locks where relation = 'keeplight.bulk_plan'::regclass and not granted";
  await expect.poll(async () => (await client.query(waiting)).rowCount).toBe(1);
  await redis.stop();
  await client.query("commit");
  await client.end();
  abort.abort();
  expect((await call).code).toBe("ABORTED");
  await worker.close();
  await ledger.close();
});

test("a queue that stores nothing is named to `enqueueBulk` and to workers, without commands and passwords", async () => {
  const { plan, upload } = await planDataset(devnet(), 1);
  const ledger = await openBulkLedger(databases.ledger());
  const redis = await startRedis();
  const admin = new Redis(redis.url);
  await admin.config("SET", "requirepass", "pass-word");
  const connection = redis.url.replace("//", "//:pass-word@");
  const errors: unknown[] = [];
  const worker = await bulkWorker({ connection, ledger, upload, onError: (error) => void errors.push(error) });
  const countReplies = async (reply: string) =>
    Number(new RegExp(`errorstat_${reply}:count=(\\d+)`).exec(await admin.info("errorstats"))?.[1] ?? 0);
  const spoil = {
    READONLY: () => admin.replicaof("127.0.0.1", 9),
    OOM: () => admin.config("SET", "maxmemory", "1"),
  };
  const mend = { READONLY: () => admin.replicaof("NO", "ONE"), OOM: () => admin.config("SET", "maxmemory", "0") };
  for (const reply of ["READONLY", "OOM"] as const) {
    await spoil[reply]();
    const expected = {
      code: "NETWORK",
      message: `The queue ${redis.url} could not be used (${reply})`,
      details: { url: redis.url },
      cause: { code: reply, message: `The queue replied ${reply}` },
    };
    const error = await failure(enqueueBulk(plan, { connection, ledger }));
    expect(error).toMatchObject(expected);
    const isExpected = (each: unknown) => isKeeplightError(each) && each.message === expected.message;
    await expect.poll(() => errors.filter(isExpected).length).toBe(1);
    expect(errors.find(isExpected)).toMatchObject(expected);
    // A connection that is refused tries again several times a second.
    if (reply === "READONLY") await expect.poll(() => countReplies(reply)).toBeGreaterThan(10);
    expect(errors.filter(isExpected)).toHaveLength(1);
    expect(inspect([error, errors], { depth: 9, showHidden: true })).not.toMatch(/pass-word|evalsha|bzpop|script/i);
    await mend[reply]();
  }
  await enqueueBulk(plan, { connection, ledger });
  await expect.poll(async () => (await getBulkStatus(plan, ledger)).filesDone).toBe(1);
  await worker.close();
  admin.disconnect();
  await redis.stop();
  await ledger.close();
});

test("what is no source is refused at once", async () => {
  const { options, ledger } = await prepare(1);
  for (const source of ["/data", {}, { root: "" }, { open: 1 }]) {
    expect((await failure(bulkWorker({ ...options, source: source as never }))).details).toMatchObject({
      option: "source",
    });
  }
  await ledger.close();
});
