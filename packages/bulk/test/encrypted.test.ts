import { rm } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { download, kavachInspect } from "../../../src/index.ts";
import { as } from "../../../test/kavach/saved-keys.ts";
import { account, devnetForTests, getApiKey } from "../../../test/support/devnet-wire.ts";
import { failure } from "../../../test/support/failure.ts";
import { scratch, writeTree } from "../../../test/support/files.ts";
import { type BulkPlan, openBulkLedger, planBulk, retryBulk, runBulk, verifyBulk } from "../src/index.ts";
import type { LedgerRow } from "../src/ledger/ledger.ts";
import { countUploads, expectDecrypted, listEntries, planEncrypted, readRows, toOwner } from "./rig.ts";

const devnet = devnetForTests();
const quick = { retryMs: 1 };

afterEach(() => devnet().faults.clear());

async function readSalts(rows: readonly LedgerRow[]): Promise<Set<string>> {
  const salts = new Set<string>();
  for (const { cid = "" } of rows) {
    const bytes = Buffer.from(await download(cid, { endpoints: devnet().endpoints }));
    salts.add(bytes.subarray(0, 16).toString("hex"));
  }
  return salts;
}

test("every file is encrypted with a key of its own, which is on all key nodes, and the journal keeps none", async () => {
  const { data, plan, upload, ledgerPlace } = await planEncrypted(devnet(), 30);
  expect(await runBulk(plan, { upload })).toMatchObject({ filesDone: 30, setAside: 0, counts: { saved: 30 } });
  const rows = await readRows(plan, ledgerPlace);
  await expectDecrypted(devnet(), data, rows);
  expect((await readSalts(rows)).size).toBe(30);
  expect(await kavachInspect(rows[0]?.cid ?? "", as(devnet(), 0))).toMatchObject({ healthy: true });
  expect(await listEntries(ledgerPlace)).toEqual([]);
  const ledger = await openBulkLedger(ledgerPlace);
  expect(await verifyBulk(plan.id, { ledger, endpoints: devnet().endpoints })).toMatchObject({
    verified: 30,
    lost: [],
  });
  await ledger.close();
  const uploads = countUploads(devnet());
  expect(await runBulk(plan, { upload })).toMatchObject({ filesDone: 30 });
  expect(countUploads(devnet())).toBe(uploads);
});

test("with one key per batch, its files have one salt, and each opens by itself", async () => {
  const { data, plan, upload, ledgerPlace } = await planEncrypted(devnet(), 20, { oneKeyPerBatch: true });
  expect(plan.oneKeyPerBatch).toBe(true);
  expect(await runBulk(plan, { upload })).toMatchObject({ filesDone: 20 });
  const rows = await readRows(plan, ledgerPlace);
  await expectDecrypted(devnet(), data, rows);
  expect((await readSalts(rows)).size).toBe(1);
});

test("names that become one without their folders are kept apart", async () => {
  const root = await scratch();
  const data = await writeTree(join(root, "data"), { "a/b.txt": "1", "a-b.txt": "2", "a+b": "3", "a b": "4" });
  const { plan } = await planBulk(data, { folder: join(root, "plan"), encrypted: true });
  const upload = { ...toOwner(devnet(), 0), apiKey: await getApiKey(devnet(), account(devnet(), 0)) };
  expect(await runBulk(plan, { upload })).toMatchObject({ filesDone: 4 });
  await expectDecrypted(devnet(), data, await readRows(plan, join(plan.folder, "ledger")));
});

test("files whose response is lost are found on the network, and not sent again", async () => {
  const { data, plan, upload, ledgerPlace } = await planEncrypted(devnet(), 12);
  const before = countPosts();
  devnet().faults.add({ service: "upload", times: 1, action: { kind: "cut", atByte: 1 } });
  expect(await runBulk(plan, { upload, ...quick })).toMatchObject({ filesDone: 12 });
  expect(countPosts() - before).toBe(1);
  await expectDecrypted(devnet(), data, await readRows(plan, ledgerPlace));
  expect(await listEntries(ledgerPlace)).toEqual([]);
});

function countPosts(): number {
  return devnet()
    .requests()
    .filter(({ service }) => service === "upload").length;
}

test("while a key node is down the others save their shards, and a retry saves the rest, without the files", async () => {
  const { data, plan, upload, ledgerPlace } = await planEncrypted(devnet(), 10);
  const before = countPosts();
  const action = { kind: "respond", status: 500, json: { error: "no" } } as const;
  devnet().faults.add({ service: "keyNodes", method: "POST", path: "/api/setSharedKey/2", action });
  const failed = await runBulk(plan, { upload: { ...upload, attempts: 1 }, ...quick, attempts: 2, outageMs: 0 });
  expect(failed).toMatchObject({ filesDone: 0, setAside: 10, counts: { saved: 0 } });
  const stored = await readRows(plan, ledgerPlace);
  expect(stored.every(({ status, cid, problem }) => status === "stored" && cid && problem)).toBe(true);
  expect(await listEntries(ledgerPlace)).toHaveLength(1);
  // Four shards are enough to open it.
  await expectDecrypted(devnet(), data, stored);
  devnet().faults.clear();
  const saves = () =>
    devnet()
      .requests()
      .filter(({ method, path }) => method === "POST" && path.includes("setSharedKey"));
  const saved = saves().length;
  await rm(data, { recursive: true });
  await retry(plan, ledgerPlace);
  expect(await runBulk(plan, { upload })).toMatchObject({ filesDone: 10, setAside: 0 });
  expect(
    new Set(
      saves()
        .slice(saved)
        .map(({ path }) => path),
    ),
  ).toEqual(new Set(["/api/setSharedKey/2"]));
  expect(saves().length - saved).toBe(10);
  expect(countPosts() - before).toBe(1);
  expect(await listEntries(ledgerPlace)).toEqual([]);
});

async function retry(plan: BulkPlan, ledgerPlace: string): Promise<void> {
  const ledger = await openBulkLedger(ledgerPlace);
  await retryBulk(plan.id, ledger);
  await ledger.close();
}

test("another account does not continue a batch", async () => {
  const { plan, upload } = await planEncrypted(devnet(), 3);
  const action = { kind: "respond", status: 500, json: { error: "no" } } as const;
  devnet().faults.add({ service: "keyNodes", method: "POST", path: "/api/setSharedKey/2", action });
  await runBulk(plan, { upload: { ...upload, attempts: 1 }, ...quick, attempts: 1, outageMs: 0 });
  devnet().faults.clear();
  await retry(plan, join(plan.folder, "ledger"));
  const other = { ...upload, ...toOwner(devnet(), 1) };
  expect(await failure(runBulk(plan, { upload: other }))).toMatchObject({ code: "INVALID_OPTION" });
  expect(await runBulk(plan, { upload })).toMatchObject({ filesDone: 3 });
});

test("files whose keys the journal has lost are set aside, and start again with other keys", async () => {
  const { data, plan, upload, ledgerPlace } = await planEncrypted(devnet(), 3);
  const action = { kind: "respond", status: 500, json: { error: "no" } } as const;
  devnet().faults.add({ service: "keyNodes", method: "POST", path: "/api/setSharedKey/2", action });
  await runBulk(plan, { upload: { ...upload, attempts: 1 }, ...quick, attempts: 1, outageMs: 0 });
  devnet().faults.clear();
  await rm(`${ledgerPlace}-journal`, { recursive: true });
  await retry(plan, ledgerPlace);
  expect(await runBulk(plan, { upload })).toMatchObject({ filesDone: 0, setAside: 3 });
  expect((await readRows(plan, ledgerPlace)).map(({ problem }) => problem?.code)).toEqual(Array(3).fill("FILE_LOST"));
  await retry(plan, ledgerPlace);
  expect(await runBulk(plan, { upload })).toMatchObject({ filesDone: 3, setAside: 0 });
  await expectDecrypted(devnet(), data, await readRows(plan, ledgerPlace));
});

test("one key per batch is only for plans of encrypted files, and a plan keeps its choice", async () => {
  const root = await scratch();
  const data = await writeTree(join(root, "data"), { a: "1" });
  const folder = join(root, "plan");
  const code = async (options: { encrypted?: boolean; oneKeyPerBatch?: boolean }) =>
    (await failure(planBulk(data, { folder, ...options }))).code;
  expect(await code({ oneKeyPerBatch: true })).toBe("INVALID_OPTION");
  await planBulk(data, { folder, encrypted: true });
  expect(await code({ encrypted: true, oneKeyPerBatch: true })).toBe("INVALID_OPTION");
});

test("nothing is sent without an owner", async () => {
  const { plan, upload } = await planEncrypted(devnet(), 3);
  const before = devnet().requests().length;
  expect(await failure(runBulk(plan, { upload: { ...upload, signer: undefined } }))).toMatchObject({
    code: "MISSING_OWNER",
  });
  expect(devnet().requests().length).toBe(before);
});
