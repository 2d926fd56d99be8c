import { readFile, stat, writeFile } from "node:fs/promises";
import { afterEach, expect, test } from "vitest";
import { devnetForTests } from "../../../test/support/devnet-wire.ts";
import { failure } from "../../../test/support/failure.ts";
import { getBulkStatus, openBulkLedger, pauseBulk, readRunStatus, runBulk } from "../src/index.ts";
import { planDataset } from "./rig.ts";

const devnet = devnetForTests();

afterEach(() => devnet().faults.clear());

test("while a plan is run, how far it is can be read beside its ledger", async () => {
  const { plan, upload, ledgerPlace } = await planDataset(devnet(), 2_100);
  expect(await readRunStatus(plan)).toBeUndefined();
  const release = devnet().faults.add({ service: "upload", after: 1, action: { kind: "delay", ms: 600_000 } });
  const stop = new AbortController();
  const startedAt = Date.now();
  const running = failure(runBulk(plan, { upload, workers: 1, signal: stop.signal }));
  await expect.poll(async () => (await readRunStatus(plan))?.filesDone, { timeout: 60_000 }).toBe(1_000);
  const status = await readRunStatus(plan, ledgerPlace);
  expect(status).toMatchObject({ id: plan.id, files: 2_100, state: "running", counts: { stored: 1_000 }, setAside: 0 });
  expect(status?.writtenAt).toBeGreaterThanOrEqual(startedAt);
  expect(status?.writtenAt).toBeLessThanOrEqual(Date.now());
  expect(status?.filesPerSecond).toBeGreaterThan(0);
  expect(status?.bytesPerSecond).toBeGreaterThan(status?.filesPerSecond ?? 0);
  expect((await stat(`${ledgerPlace}-status-${plan.id}.json`)).mode & 0o777).toBe(0o600);
  stop.abort();
  await running;
  release();
});

test("at its end a run has written what the ledger says, also if it was paused", async () => {
  const { plan, upload, ledgerPlace } = await planDataset(devnet(), 1_100);
  const ledger = await openBulkLedger(ledgerPlace);
  await runBulk(plan, { upload, ledger, workers: 1, onProgress: () => void pauseBulk(plan.id, ledger) });
  expect(await readRunStatus(plan)).toMatchObject(await getBulkStatus(plan, ledger));
  expect(await readRunStatus(plan)).toMatchObject({ state: "paused" });
  const done = await runBulk(plan, { upload, ledger });
  expect(await readRunStatus(plan)).toMatchObject({ ...done, filesDone: 1_100 });
  await ledger.close();
});

test("a status that cannot be read is refused, and written again by the next run", async () => {
  const { plan, upload, ledgerPlace } = await planDataset(devnet(), 1);
  await runBulk(plan, { upload });
  const path = `${ledgerPlace}-status-${plan.id}.json`;
  const text = await readFile(path, "utf8");
  for (const damaged of [text.slice(0, 20), '{"version":2}', "null", ""]) {
    await writeFile(path, damaged);
    expect((await failure(readRunStatus(plan))).code).toBe("INVALID_OPTION");
  }
  expect((await failure(readRunStatus(plan, "postgres://db/keeplight"))).code).toBe("INVALID_OPTION");
  await runBulk(plan, { upload });
  expect(await readRunStatus(plan)).toMatchObject({ filesDone: 1 });
});
