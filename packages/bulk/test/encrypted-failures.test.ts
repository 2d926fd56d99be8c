import { copyFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { devnetForTests } from "../../../test/support/devnet-wire.ts";
import { failure } from "../../../test/support/failure.ts";
import { scratch } from "../../../test/support/files.ts";
import { type BulkPlan, openBulkLedger, retryBulk, runBulk, verifyBulk } from "../src/index.ts";
import { countUploads, expectDecrypted, listEntries, planEncrypted, readRows } from "./rig.ts";

const devnet = devnetForTests();
const quick = { retryMs: 1, attempts: 1, outageMs: 0 };
const refused = { kind: "respond", status: 500, json: { message: "no" } } as const;

afterEach(() => devnet().faults.clear());

function failNode(node: number, after = 0): void {
  devnet().faults.add({
    service: "keyNodes",
    method: "POST",
    path: `/api/setSharedKey/${node}`,
    after,
    action: refused,
  });
}

async function withLedger<T>(place: string, work: (ledger: Awaited<ReturnType<typeof openBulkLedger>>) => Promise<T>) {
  const ledger = await openBulkLedger(place);
  try {
    return await work(ledger);
  } finally {
    await ledger.close();
  }
}

const verify = (plan: BulkPlan, place: string) =>
  withLedger(place, (ledger) => verifyBulk(plan.id, { ledger, endpoints: devnet().endpoints }));
const retry = (plan: BulkPlan, place: string) => withLedger(place, (ledger) => retryBulk(plan.id, ledger));

test("files whose keys are not saved are not verified, and keep their keys", async () => {
  const { data, plan, upload, ledgerPlace } = await planEncrypted(devnet(), 4);
  failNode(1);
  const stop = new AbortController();
  const isAsked = () =>
    devnet()
      .requests()
      .some(({ path }) => path === "/api/setSharedKey/1");
  const running = failure(runBulk(plan, { upload: { ...upload, attempts: 1 }, retryMs: 60_000, signal: stop.signal }));
  await expect.poll(isAsked, { timeout: 60_000 }).toBe(true);
  stop.abort();
  await running;
  expect(await verify(plan, ledgerPlace)).toEqual({ verified: 0, lost: [], unread: [] });
  devnet().faults.clear();
  expect(await runBulk(plan, { upload })).toMatchObject({ filesDone: 4, counts: { saved: 4 } });
  await expectDecrypted(devnet(), data, await readRows(plan, ledgerPlace));
});

test("a file that the network has lost is sent again, whatever the journal knows of it", async () => {
  const { data, plan, upload, ledgerPlace } = await planEncrypted(devnet(), 4);
  failNode(5, 3);
  await runBulk(plan, { upload: { ...upload, attempts: 1 }, ...quick });
  devnet().faults.clear();
  const lost = (await readRows(plan, ledgerPlace)).find(({ status }) => status === "saved");
  const path = new RegExp(lost?.cid ?? "none");
  for (const service of ["gateway", "api"] as const) {
    devnet().faults.add({ service, path, action: { kind: "respond", status: 404, json: {} } });
  }
  expect((await verify(plan, ledgerPlace)).lost).toEqual([lost?.path]);
  await retry(plan, ledgerPlace);
  const uploads = countUploads(devnet());
  devnet().faults.add({ service: "upload", times: 1, action: { kind: "respond", status: 500, json: {} } });
  expect(await runBulk(plan, { upload, retryMs: 1 })).toMatchObject({ filesDone: 4 });
  expect(countUploads(devnet()) - uploads).toBe(1);
  const rows = await readRows(plan, ledgerPlace);
  expect(rows[lost?.index ?? 0]?.cid).not.toBe(lost?.cid);
  await expectDecrypted(devnet(), data, rows);
});

test("what a process that has ended left in the journal of batches that are done is removed", async () => {
  const { plan, upload, ledgerPlace } = await planEncrypted(devnet(), 3);
  failNode(2);
  await runBulk(plan, { upload: { ...upload, attempts: 1 }, ...quick });
  devnet().faults.clear();
  const [entry = ""] = await listEntries(ledgerPlace);
  const kept = join(await scratch(), entry);
  await copyFile(join(`${ledgerPlace}-journal`, entry), kept);
  await retry(plan, ledgerPlace);
  await runBulk(plan, { upload });
  expect(await listEntries(ledgerPlace)).toEqual([]);
  await copyFile(kept, join(`${ledgerPlace}-journal`, entry));
  expect(await runBulk(plan, { upload })).toMatchObject({ filesDone: 3 });
  expect(await listEntries(ledgerPlace)).toEqual([]);
  expect((await readdir(`${ledgerPlace}-journal`)).length).toBeGreaterThan(0);
});

test("with saveOn enough, a file that one more node refuses does not set the others aside", async () => {
  const { plan, upload } = await planEncrypted(devnet(), 4);
  failNode(5);
  for (const node of [1, 2, 3]) failNode(node, 3);
  // One request after another, so that the same file is last at every node.
  const one = { ...upload, attempts: 1, maxInFlight: 1, saveOn: "enough" } as const;
  const run = await runBulk(plan, { upload: one, ...quick });
  expect(run).toMatchObject({ filesDone: 3, setAside: 1 });
});

test("key nodes that respond with 503 are waited for, whatever they say", async () => {
  const { plan, upload } = await planEncrypted(devnet(), 3);
  const action = { kind: "respond", status: 503, json: { message: "later" } } as const;
  devnet().faults.add({ service: "keyNodes", method: "POST", path: "/api/setSharedKey/3", times: 12, action });
  const run = await runBulk(plan, { upload: { ...upload, attempts: 1 }, retryMs: 1, attempts: 2 });
  expect(run).toMatchObject({ filesDone: 3, setAside: 0 });
});

test("a ledger does not decide whether files are encrypted", async () => {
  const { plan, upload, ledgerPlace } = await planEncrypted(devnet(), 2);
  await runBulk(plan, { upload });
  const uploads = countUploads(devnet());
  const changed = await failure(runBulk({ ...plan, encrypted: false }, { upload }));
  expect(changed.code).toBe("INVALID_OPTION");
  expect(countUploads(devnet())).toBe(uploads);
  expect((await readRows(plan, ledgerPlace)).length).toBe(2);
});
