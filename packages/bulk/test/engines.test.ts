import { rm } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { devnetForTests } from "../../../test/support/devnet-wire.ts";
import { failure } from "../../../test/support/failure.ts";
import {
  type BulkLedger,
  type BulkPlan,
  type BulkUploadOptions,
  bulkWorker,
  enqueueBulk,
  getBulkStatus,
  openBulkLedger,
  openBulkQueue,
  pauseBulk,
  retryBulk,
  runBulk,
} from "../src/index.ts";
import { breakConnections } from "./break-connections.ts";
import { databasesForTests, engineNames } from "./engines.ts";
import { expectStored, planDataset, readRows } from "./rig.ts";

const devnet = devnetForTests();
const databases = databasesForTests();

afterEach(() => devnet().faults.clear());

describe.each(engineNames)("%s", (engine) => {
  /** Runs a plan until nothing is left to do, or it is paused; by two workers if they can share it. */
  async function runToEnd(
    plan: BulkPlan,
    ledger: BulkLedger,
    upload: BulkUploadOptions,
    limits: { attempts?: number; outageMs?: number } = {},
  ): Promise<void> {
    const { attempts = 5, outageMs } = limits;
    if (engine === "embedded") {
      await runBulk(plan, { upload, ledger, attempts, outageMs, retryMs: 1 });
      return;
    }
    const connection = databases.connectionOf(engine);
    await enqueueBulk(plan, { connection, ledger, attempts, retryMs: 1 });
    const workers = await Promise.all(
      [1, 2].map(() => bulkWorker({ connection, ledger, upload, outageMs, workers: 2 })),
    );
    await expect
      .poll(async () => {
        const { filesDone, setAside, files, state } = await getBulkStatus(plan.id, ledger);
        return filesDone + setAside === files || state === "paused";
      })
      .toBe(true);
    await Promise.all(workers.map((worker) => worker.close()));
    const setAside = workers.reduce((sum, worker) => sum + worker.setAside, 0);
    expect(await getBulkStatus(plan.id, ledger)).toMatchObject({ setAside });
  }

  async function prepare(count: number) {
    const dataset = await planDataset(devnet(), count);
    const place = engine === "embedded" ? dataset.ledgerPlace : databases.ledger();
    return { ...dataset, place, ledger: await openBulkLedger(place) };
  }

  test("every file is stored once; what was lost on the way is sent again", async () => {
    const { data, plan, upload, place, ledger } = await prepare(2_050);
    devnet().faults.add({ service: "upload", after: 1, times: 2, action: { kind: "reset", afterBytes: 1_000 } });
    await runToEnd(plan, ledger, upload);
    const status = await getBulkStatus(plan.id, ledger);
    expect(status).toMatchObject({ filesDone: 2_050, setAside: 0 });
    await runToEnd(plan, ledger, upload);
    expect(await getBulkStatus(plan.id, ledger)).toEqual(status);
    await ledger.close();
    const rows = await readRows(plan, place);
    expect(new Set(rows.map(({ path }) => path)).size).toBe(2_050);
    await expectStored(
      devnet(),
      data,
      rows.filter((_, at) => at % 100 === 0),
    );
  });

  test("files that cannot be sent are set aside, and retried", async () => {
    const { data, plan, upload, ledger } = await prepare(20);
    await rm(join(data, "d000/f000003.txt"));
    devnet().faults.add({ service: "upload", times: 2, action: { kind: "respond", status: 503 } });
    await runToEnd(plan, ledger, upload, { attempts: 2, outageMs: 0 });
    expect(await getBulkStatus(plan.id, ledger)).toMatchObject({ filesDone: 0, setAside: 20 });
    expect(await retryBulk(plan.id, ledger)).toBe(20);
    await runToEnd(plan, ledger, upload, { attempts: 2 });
    expect(await getBulkStatus(plan.id, ledger)).toMatchObject({ filesDone: 19, setAside: 1 });
    await ledger.close();
  });

  test("a plan that is paused sends nothing, and continues", async () => {
    const { plan, upload, ledger } = await prepare(20);
    const refused = runToEnd(plan, ledger, { ...upload, apiKey: "wrong" });
    if (engine === "embedded") expect((await failure(refused)).code).toBe("HTTP_STATUS");
    else {
      await refused;
      expect(await getBulkStatus(plan.id, ledger)).toMatchObject({ state: "paused", filesDone: 0, setAside: 0 });
    }
    await pauseBulk(plan.id, ledger);
    await runToEnd(plan, ledger, upload);
    expect(await getBulkStatus(plan.id, ledger)).toMatchObject({ state: "done", filesDone: 20 });
    await ledger.close();
  });
});

test("a batch whose ledger is lost while it is sent is sent by nobody else meanwhile, and continued", async () => {
  const { data, plan, upload } = await planDataset(devnet(), 20);
  const ledger = await openBulkLedger(databases.ledger());
  devnet().faults.add({ service: "upload", times: 1, action: { kind: "hang" } });
  const [running, waiting] = [1, 2].map(() => runBulk(plan, { upload, ledger, retryMs: 1 }));
  await expect.poll(async () => (await getBulkStatus(plan, ledger)).counts.sent).toBe(20);
  await expect.poll(() => breakConnections(databases.ledger())).toBeGreaterThan(0);
  expect(await running).toMatchObject({ filesDone: 20, setAside: 0 });
  expect(await waiting).toMatchObject({ filesDone: 20, setAside: 0 });
  await ledger.close();
  await expectStored(devnet(), data, await readRows(plan, databases.ledger()));
});

test("a job names a plan and a batch, and nothing else", async () => {
  const { plan } = await planDataset(devnet(), 3);
  const ledger = await openBulkLedger(databases.ledger());
  const connection = databases.connectionOf("Redis");
  expect(await enqueueBulk(plan, { connection, ledger })).toBe(1);
  expect(await enqueueBulk(plan, { connection, ledger })).toBe(1);
  const queue = await openBulkQueue<import("bullmq").Queue>(connection);
  const jobs = await queue.getJobs();
  expect(jobs.filter(({ data }) => data.plan === plan.id).map(({ data }) => data)).toEqual([
    { plan: plan.id, batch: 0 },
  ]);
  await queue.close();
  await ledger.close();
});

test("a connection of another kind is refused", async () => {
  const { plan, upload } = await planDataset(devnet(), 1);
  const ledger = await openBulkLedger(databases.ledger());
  for (const connection of ["", "mysql://host", "/folder"]) {
    expect((await failure(enqueueBulk(plan, { connection, ledger }))).code).toBe("INVALID_OPTION");
    expect((await failure(bulkWorker({ connection, ledger, upload }))).code).toBe("INVALID_OPTION");
  }
  await ledger.close();
});
