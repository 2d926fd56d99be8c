import { readFile, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { formatCid } from "../../../src/formats/cid/content-id.ts";
import { hashFile } from "../../../src/formats/cid/file.ts";
import { createRecoveryIdentity } from "../../../src/index.ts";
import { bundleBesidePackages } from "../../../test/support/bundle-script.ts";
import { account, devnetForTests } from "../../../test/support/devnet-wire.ts";
import { type BulkPlan, enqueueBulk, getBulkStatus, openBulkLedger } from "../src/index.ts";
import type { LedgerRow } from "../src/ledger/ledger.ts";
import { type Child, startChild } from "./child.ts";
import { databasesForTests, engineNames } from "./engines.ts";
import { countUploads, expectDecrypted, expectStored, planDataset, readRows } from "./rig.ts";

// Workers are killed with -9, one after another, while they send many files of 1 kB, or fewer that they encrypt.

const FILES = Number(process.env["BULK_FILES"] ?? 1_200);
const ENCRYPTED_FILES = Number(process.env["BULK_ENCRYPTED_FILES"] ?? 80);
const WORKERS = 4;
const KILL_EVERY_MS = Number(process.env["BULK_KILL_MS"] ?? 1_500);
/** How often it is looked whether it is time for the next kill. */
const LOOK_EVERY_MS = 20;
/** On a busy machine a worker may not complete a batch between two kills: after these, they are left alone. */
const MAX_KILLS = Number(process.env["BULK_KILLS"] ?? 3);
const MAX_RSS_BYTES = 200 * 1024 ** 2;
/** Two batches at once with the entries of their journal; what they no longer need is collected late. */
const MAX_ENCRYPTED_RSS_BYTES = 300 * 1024 ** 2;
/** 20 ms for each file: what a very busy machine takes. */
const timeout = Math.max(20 * 60_000, FILES * 20);

const devnet = devnetForTests();
const databases = databasesForTests();
let script: string;
let identity: string;

beforeAll(async () => {
  ({ identity } = await createRecoveryIdentity());
  script = await bundleBesidePackages(new URL("./in-child.ts", import.meta.url));
});
afterAll(() => rm(dirname(script), { recursive: true, force: true }));

describe.each(engineNames)("%s", (engine) => {
  test.each([
    ["files", FILES, false],
    ["encrypted files", ENCRYPTED_FILES, true],
  ])("of many %s none is lost, and none is in the ledger twice", { timeout }, async (_, count, encrypted) => {
    const { data, plan, upload, ledgerPlace } = await planDataset(devnet(), count, {
      size: 1_000,
      ...(encrypted ? { encrypted, oneKeyPerBatch: true } : {}),
    });
    const isEmbedded = engine === "embedded";
    const place = isEmbedded ? ledgerPlace : databases.ledger();
    const connection = isEmbedded ? "" : databases.connectionOf(engine);
    const owner = encrypted ? { privateKey: account(devnet(), 0).privateKey, unlock: { identity } } : {};
    const job = { engine, folder: plan.folder, connection, ledgerPlace: place, upload, ...owner };
    const uploads = countUploads(devnet());
    let peak = 0;
    let kills = 0;
    const start = () => startChild(script, job, (rss) => (peak = Math.max(peak, rss)));
    /** Waits until the next kill: some time, or on a fast machine a part of the batches. */
    async function untilKill(killAfterMs: number, isOver: () => boolean): Promise<void> {
      const batches = (plan.batches * (kills + 1)) / (MAX_KILLS + 1);
      const deadline = performance.now() + killAfterMs;
      while (!isOver() && performance.now() < deadline && countUploads(devnet()) - uploads < batches)
        await setTimeout(LOOK_EVERY_MS);
    }
    const startedAt = performance.now();

    if (isEmbedded) {
      for (;;) {
        const child = start();
        let isOver = false;
        const exited = child.exited.then(() => (isOver = true));
        if (kills < MAX_KILLS) await untilKill(KILL_EVERY_MS * (kills + 1), () => isOver);
        else await exited;
        if (isOver) break;
        child.process.kill("SIGKILL");
        await exited;
        kills++;
      }
    } else {
      const ledger = await openBulkLedger(place);
      await enqueueBulk(plan, { connection, ledger });
      const workers: Child[] = Array.from({ length: WORKERS }, start);
      for (let at = 0; !(await isDone(plan, ledger)); at = (at + 1) % WORKERS) {
        if (kills >= MAX_KILLS) {
          await setTimeout(KILL_EVERY_MS);
          continue;
        }
        await untilKill(KILL_EVERY_MS, () => false);
        const victim = workers[at];
        victim?.process.kill("SIGKILL");
        await victim?.exited;
        kills++;
        workers[at] = start();
      }
      for (const worker of workers) worker.process.send("close");
      await Promise.all(workers.map(({ exited }) => exited));
      await ledger.close();
    }

    const seconds = Math.round((performance.now() - startedAt) / 1_000);
    const rows = await readRows(plan, place);
    console.log(
      `${engine}: ${count} ${encrypted ? "encrypted " : ""}files, ${kills} kills, ${seconds} s, ${Math.round(peak / 1024 ** 2)} MiB`,
    );
    expect(kills).toBeGreaterThan(0);
    const done = encrypted ? "saved" : "stored";
    expect(rows.filter(({ status, problem }) => status !== done || problem)).toEqual([]);
    expect(new Set(rows.map(({ path }) => path)).size).toBe(count);
    if (encrypted) {
      await expectDecrypted(devnet(), data, rows);
      expect(new Set(rows.map(({ cid }) => cid)).size).toBe(count);
      // Only a request that was complete when its worker was killed may not be found yet when another worker looks for it.
      expect(countUploads(devnet()) - uploads).toBeLessThanOrEqual(plan.batches + kills);
    } else {
      expect(await findWrongCids(data, rows)).toEqual([]);
      await expectStored(
        devnet(),
        data,
        rows.filter((_, at) => at % 500 === 0),
      );
    }
    expect(peak).toBeLessThanOrEqual(encrypted ? MAX_ENCRYPTED_RSS_BYTES : MAX_RSS_BYTES);
  });
});

async function isDone(plan: BulkPlan, ledger: Parameters<typeof getBulkStatus>[1]): Promise<boolean> {
  const { filesDone, setAside, files } = await getBulkStatus(plan, ledger);
  return filesDone + setAside === files;
}

async function findWrongCids(data: string, rows: readonly LedgerRow[]): Promise<string[]> {
  const wrong: string[] = [];
  for (const { path, cid } of rows) {
    const hasher = hashFile(1);
    await hasher.update(await readFile(join(data, path)));
    if (formatCid((await hasher.finish()).cid) !== cid) wrong.push(path);
  }
  return wrong;
}
