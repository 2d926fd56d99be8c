import { copyFile, readFile, rename, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { devnetForTests } from "../../../test/support/devnet-wire.ts";
import { failure } from "../../../test/support/failure.ts";
import { scratch } from "../../../test/support/files.ts";
import { type BulkPlan, listSetAside, openBulkLedger, retryBulk, runBulk } from "../src/index.ts";
import { countUploads, expectDecrypted, listEntries, planDataset, planEncrypted, readRows } from "./rig.ts";

const devnet = devnetForTests();
const quick = { retryMs: 1, attempts: 1, outageMs: 0 };
const DAMAGED = "JOURNAL_DAMAGED";

afterEach(() => devnet().faults.clear());

/** From the request after `after` on, key node 5 saves no more keys. */
function failNode(after = 0): void {
  devnet().faults.add({
    service: "keyNodes",
    method: "POST",
    path: "/api/setSharedKey/5",
    after,
    action: { kind: "respond", status: 500, json: { message: "no" } },
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

const retry = (plan: BulkPlan, place: string, options?: { encryptAgain?: boolean }) =>
  withLedger(place, (ledger) => retryBulk(plan.id, ledger, options));

async function listDamaged(plan: BulkPlan, place: string): Promise<string[]> {
  return withLedger(place, async (ledger) => {
    const paths: string[] = [];
    for await (const { path, code } of listSetAside(plan.id, ledger)) if (code === DAMAGED) paths.push(path);
    return paths;
  });
}

/** Damages the entry of the journal; returns what puts it back. */
async function damageEntry(ledgerPlace: string): Promise<() => Promise<void>> {
  const [entry = ""] = await listEntries(ledgerPlace);
  const path = join(`${ledgerPlace}-journal`, entry);
  const copy = join(await scratch(), "copy");
  await copyFile(path, copy);
  const bytes = await readFile(path);
  bytes.writeUInt8(bytes.readUInt8(bytes.length - 1) ^ 1, bytes.length - 1);
  await writeFile(path, bytes);
  return () => copyFile(copy, path);
}

async function readManifest(plan: BulkPlan): Promise<string[]> {
  const lines = (await readFile(join(plan.folder, "manifest.jsonl"), "utf8")).trimEnd().split("\n");
  return lines.map((line) => JSON.parse(line).path);
}

/** Runs a plan of 8 files: 3 are saved, 3 are stored without their keys being saved, and 2 are not sent yet. */
async function prepareBatch(options: { oneKeyPerBatch?: boolean } = {}) {
  const planned = await planEncrypted(devnet(), 8, options);
  const { data, plan, upload, ledgerPlace } = planned;
  const late = (await readManifest(plan)).slice(-2);
  for (const path of late) await rename(join(data, path), join(plan.folder, basename(path)));
  failNode(3);
  await runBulk(plan, { upload: { ...upload, attempts: 1 }, ...quick });
  devnet().faults.clear();
  for (const path of late) await rename(join(plan.folder, basename(path)), join(data, path));
  await retry(plan, ledgerPlace);
  const rows = await readRows(plan, ledgerPlace);
  const list = (status: string) => rows.filter((row) => row.status === status).map(({ path }) => path);
  expect([list("saved").length, list("stored").length, list("found").length]).toEqual([3, 3, 2]);
  return { ...planned, stored: list("stored"), restore: await damageEntry(ledgerPlace) };
}

test("a damaged entry sets the files aside whose keys it has, the others go on, and it continues once it is put back", async () => {
  const { data, plan, upload, ledgerPlace, stored, restore } = await prepareBatch();
  const uploads = countUploads(devnet());
  expect(await runBulk(plan, { upload })).toMatchObject({ filesDone: 5, setAside: 3 });
  expect(await listDamaged(plan, ledgerPlace)).toEqual(stored);
  await retry(plan, ledgerPlace);
  expect(await runBulk(plan, { upload })).toMatchObject({ filesDone: 5, setAside: 3 });
  expect(await listDamaged(plan, ledgerPlace)).toEqual(stored);
  expect(await listEntries(ledgerPlace)).toHaveLength(1);
  await restore();
  await retry(plan, ledgerPlace);
  expect(await runBulk(plan, { upload })).toMatchObject({ filesDone: 8, setAside: 0 });
  expect(countUploads(devnet()) - uploads).toBe(1);
  await expectDecrypted(devnet(), data, await readRows(plan, ledgerPlace));
  expect(await listEntries(ledgerPlace)).toEqual([]);
});

test.each([{}, { oneKeyPerBatch: true }])(
  "on request, files with lost keys are encrypted again with new ones: %j",
  async (options) => {
    const { data, plan, upload, ledgerPlace, stored } = await prepareBatch(options);
    await runBulk(plan, { upload });
    const before = await readRows(plan, ledgerPlace);
    expect(await retry(plan, ledgerPlace, { encryptAgain: true })).toBe(3);
    expect(await runBulk(plan, { upload })).toMatchObject({ filesDone: 8, setAside: 0 });
    const after = await readRows(plan, ledgerPlace);
    const changed = after.filter(({ cid }, at) => cid !== before[at]?.cid).map(({ path }) => path);
    expect(changed).toEqual(stored);
    await expectDecrypted(devnet(), data, after);
    expect(await listEntries(ledgerPlace)).toEqual([]);
  },
);

test("what was sent when its entry was damaged is not sent again, unless that is requested", async () => {
  const { data, plan, upload, ledgerPlace } = await planEncrypted(devnet(), 4);
  // It is stored, which nobody learns.
  devnet().faults.add({ service: "upload", action: { kind: "cut", atByte: 1 } });
  devnet().faults.add({ service: "api", path: /file_info/, action: { kind: "respond", status: 500, json: {} } });
  await runBulk(plan, { upload: { ...upload, attempts: 1 }, ...quick });
  devnet().faults.clear();
  await damageEntry(ledgerPlace);
  const posts = () =>
    devnet()
      .requests()
      .filter(({ service }) => service === "upload").length;
  const before = posts();
  for (let round = 0; round < 2; round++) {
    await retry(plan, ledgerPlace);
    expect(await runBulk(plan, { upload })).toMatchObject({ filesDone: 0, setAside: 4, counts: { sent: 0 } });
    expect(await listDamaged(plan, ledgerPlace)).toHaveLength(4);
  }
  expect(posts()).toBe(before);
  await retry(plan, ledgerPlace, { encryptAgain: true });
  expect(await runBulk(plan, { upload })).toMatchObject({ filesDone: 4 });
  expect(posts() - before).toBe(1);
  await expectDecrypted(devnet(), data, await readRows(plan, ledgerPlace));
});

test("an entry that is put back while another one is in use is continued, and nothing is stored twice", async () => {
  const { data, plan, upload, ledgerPlace, restore } = await prepareBatch();
  failNode();
  await runBulk(plan, { upload: { ...upload, attempts: 1 }, ...quick });
  expect(await listEntries(ledgerPlace)).toHaveLength(2);
  devnet().faults.clear();
  await restore();
  const uploads = countUploads(devnet());
  await retry(plan, ledgerPlace);
  await runBulk(plan, { upload });
  await retry(plan, ledgerPlace);
  expect(await runBulk(plan, { upload })).toMatchObject({ filesDone: 8, setAside: 0 });
  expect(countUploads(devnet())).toBe(uploads);
  await expectDecrypted(devnet(), data, await readRows(plan, ledgerPlace));
  expect(await listEntries(ledgerPlace)).toEqual([]);
});

test("an entry that is put back after its files were encrypted again does not replace their new keys", async () => {
  const { data, plan, upload, ledgerPlace, restore } = await prepareBatch();
  await runBulk(plan, { upload });
  await retry(plan, ledgerPlace, { encryptAgain: true });
  failNode();
  await runBulk(plan, { upload: { ...upload, attempts: 1 }, ...quick });
  devnet().faults.clear();
  await restore();
  const uploads = countUploads(devnet());
  await retry(plan, ledgerPlace);
  expect(await runBulk(plan, { upload })).toMatchObject({ filesDone: 8, setAside: 0 });
  expect(countUploads(devnet())).toBe(uploads);
  await expectDecrypted(devnet(), data, await readRows(plan, ledgerPlace));
  await runBulk(plan, { upload });
  expect(await listEntries(ledgerPlace)).toEqual([]);
});

test("files that are encrypted again keep their new keys while a service is down", async () => {
  const { data, plan, upload, ledgerPlace } = await prepareBatch();
  await runBulk(plan, { upload });
  await retry(plan, ledgerPlace, { encryptAgain: true });
  devnet().faults.add({ service: "upload", times: 1, action: { kind: "cut", atByte: 1 } });
  failNode(1);
  await runBulk(plan, { upload: { ...upload, attempts: 1 }, ...quick, attempts: 3 });
  devnet().faults.clear();
  expect(await listDamaged(plan, ledgerPlace)).toEqual([]);
  await retry(plan, ledgerPlace);
  expect(await runBulk(plan, { upload })).toMatchObject({ filesDone: 8, setAside: 0 });
  await expectDecrypted(devnet(), data, await readRows(plan, ledgerPlace));
  expect(await listEntries(ledgerPlace)).toEqual([]);
});

test("what cannot be meant is refused", async () => {
  const { plan, upload, ledgerPlace } = await planDataset(devnet(), 1);
  await runBulk(plan, { upload });
  const code = async (options: object) => (await failure(retry(plan, ledgerPlace, options))).code;
  expect(await code({ encryptAgain: true })).toBe("INVALID_OPTION");
  expect(await code({ encryptAgain: "yes" })).toBe("INVALID_OPTION");
  expect(await code({ encryptTwice: true })).toBe("INVALID_OPTION");
});
