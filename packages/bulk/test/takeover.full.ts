import { createPostgresBackend, Worker, withBackend } from "bullmq";
import { expect, test } from "vitest";
import { devnetForTests } from "../../../test/support/devnet-wire.ts";
import { bulkWorker, enqueueBulk, getBulkStatus, openBulkLedger } from "../src/index.ts";
import { databasesForTests } from "./engines.ts";
import { planDataset } from "./rig.ts";

const devnet = devnetForTests();
const databases = databasesForTests();

const QUEUE = "keeplight-bulk";
const LOCK_MS = 1_000;
const workers = {
  Redis: (url: string) =>
    new Worker(QUEUE, undefined, { lockDuration: LOCK_MS, connection: { url, maxRetriesPerRequest: null } }),
  PostgreSQL: (url: string) => {
    const { Worker: PostgresWorker } = withBackend(createPostgresBackend);
    return new PostgresWorker(QUEUE, undefined, {
      lockDuration: LOCK_MS,
      connection: { connectionString: url, migrate: true },
    });
  },
};

test.each(["Redis", "PostgreSQL"] as const)(
  "on %s, a batch whose worker is gone is taken over",
  async (engine) => {
    const connection = databases.connectionOf(engine);
    const { plan, upload } = await planDataset(devnet(), 5);
    const ledger = await openBulkLedger(databases.ledger());
    await enqueueBulk(plan, { connection, ledger });
    const gone = workers[engine](connection);
    expect((await gone.getNextJob("gone"))?.data).toEqual({ plan: plan.id, batch: 0 });
    await gone.close(true);
    const worker = await bulkWorker({ connection, ledger, upload });
    await expect.poll(async () => (await getBulkStatus(plan.id, ledger)).filesDone, { timeout: 120_000 }).toBe(5);
    await worker.close();
    await ledger.close();
  },
  600_000,
);
