import { once } from "node:events";
import { createServer } from "node:net";
import { inspect } from "node:util";
import { createBullBoard } from "@bull-board/api";
import { BullMQAdapter } from "@bull-board/api/bullMQAdapter";
import { HonoAdapter } from "@bull-board/hono";
import { serveStatic } from "@hono/node-server/serve-static";
import type { Queue } from "bullmq";
import { Hono } from "hono";
import { Redis } from "ioredis";
import { expect, test } from "vitest";
import { startRedis } from "../../../test/support/databases.ts";
import { devnetForTests } from "../../../test/support/devnet-wire.ts";
import { failure } from "../../../test/support/failure.ts";
import { bulkWorker, enqueueBulk, getBulkStatus, openBulkLedger, openBulkQueue } from "../src/index.ts";
import { databasesForTests } from "./engines.ts";
import { planBatches, planDataset } from "./rig.ts";

const devnet = devnetForTests();
const databases = databasesForTests();

test.each(["redis", "postgres"])("a queue of %s that cannot be reached is an error, not a wait", async (protocol) => {
  const { plan, upload } = await planDataset(devnet(), 1);
  const ledger = await openBulkLedger(databases.ledger());
  // Nobody listens there any more.
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  const connection = `${protocol}://user:s3cret@127.0.0.1:${port}/0`;
  const calls = [() => enqueueBulk(plan, { connection, ledger }), () => bulkWorker({ connection, ledger, upload })];
  for (const call of calls) {
    const error = await failure(call());
    expect(error).toMatchObject({ code: "NETWORK", details: { url: `${protocol}://127.0.0.1:${port}/0` } });
    expect(error.message).toContain("ECONNREFUSED");
    expect(JSON.stringify(error)).not.toContain("s3cret");
  }
  await ledger.close();
});

test("a password that Redis refuses is in no part of the error", async () => {
  const { plan, upload } = await planDataset(devnet(), 1);
  const ledger = await openBulkLedger(databases.ledger());
  const redis = await startRedis();
  const admin = new Redis(redis.url);
  await admin.config("SET", "requirepass", "right");
  for (const credentials of [":s3cret", "me:s3cret"]) {
    const connection = redis.url.replace("//", `//${credentials}@`);
    for (const call of [
      () => enqueueBulk(plan, { connection, ledger }),
      () => bulkWorker({ connection, ledger, upload }),
    ]) {
      const error = await failure(call());
      expect(error).toMatchObject({ code: "NETWORK", cause: { code: "WRONGPASS" } });
      expect(error.message).toContain("WRONGPASS");
      expect(inspect(error, { depth: Number.POSITIVE_INFINITY, showHidden: true })).not.toContain("s3cret");
    }
  }
  admin.disconnect();
  await redis.stop();
  await ledger.close();
});

test("options of a connection that cannot be used are a typed error", async () => {
  const { plan } = await planDataset(devnet(), 1);
  const ledger = await openBulkLedger(databases.ledger());
  const connection = `${databases.ledger()}?sslrootcert=/no-such-file`;
  const error = await failure(enqueueBulk(plan, { connection, ledger }));
  expect(error).toMatchObject({ code: "NETWORK", cause: { code: "ENOENT" } });
  await ledger.close();
});

test("a queue that does not respond can be left", async () => {
  const { plan } = await planDataset(devnet(), 1);
  const ledger = await openBulkLedger(databases.ledger());
  const server = createServer((socket) => void socket.on("error", () => undefined)).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  const abort = new AbortController();
  const call = enqueueBulk(plan, { connection: `redis://127.0.0.1:${port}`, ledger, signal: abort.signal });
  server.once("connection", () => abort.abort());
  expect((await failure(call)).code).toBe("ABORTED");
  await ledger.close();
  server.close();
});

test.each(["Redis", "PostgreSQL"] as const)("bull-board shows the queue on %s by one line", async (engine) => {
  const { plan } = await planDataset(devnet(), 1);
  const ledger = await openBulkLedger(databases.ledger());
  const connection = databases.connectionOf(engine);
  await enqueueBulk(plan, { connection, ledger });
  const queue = await openBulkQueue<Queue>(connection);
  const serverAdapter = new HonoAdapter(serveStatic);
  createBullBoard({ queues: [new BullMQAdapter(queue)], serverAdapter });
  const app = new Hono().route("/", serverAdapter.registerPlugin());
  const response = await app.request("/api/queues?activeQueue=keeplight-bulk&status=waiting");
  expect(response.status).toBe(200);
  const text = await response.text();
  expect(JSON.parse(text)).toMatchObject({ queues: [{ name: "keeplight-bulk" }] });
  expect(text).toContain(plan.id);
  expect(text).not.toContain("f000000");
  await queue.close();
  await ledger.close();
});

test.each(["Redis", "PostgreSQL"] as const)("a limit of batches is for all workers together, on %s", async (engine) => {
  const { plan, upload } = await planBatches(devnet(), 8);
  const ledger = await openBulkLedger(databases.ledger());
  const connection = databases.connectionOf(engine);
  const queue = await openBulkQueue<Queue>(connection);
  // What other tests have left.
  await queue.obliterate({ force: true });
  expect(await enqueueBulk(plan, { connection, ledger })).toBe(8);
  const options = { connection, ledger, upload, workers: 4, batchesPerMinute: 3 };
  const workers = await Promise.all([bulkWorker(options), bulkWorker(options)]);
  await expect.poll(async () => (await getBulkStatus(plan, ledger)).filesDone).toBe(1);
  expect(await queue.getRateLimitTtl(1)).toBeGreaterThan(0);
  await Promise.all(workers.map((worker) => worker.close()));
  // They complete what they have started.
  expect((await getBulkStatus(plan, ledger)).filesDone).toBe(1);
  expect(await queue.count()).toBe(7);
  await queue.close();
  await ledger.close();
});
