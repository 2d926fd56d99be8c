import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { iterateFiles } from "../../../src/index.ts";
import { account, devnetForTests, getApiKey } from "../../../test/support/devnet-wire.ts";
import { scratch } from "../../../test/support/files.ts";
import { openBulkLedger, planBulk, retryBulk, runBulk } from "../src/index.ts";
import { getLedger } from "../src/ledger/open-ledger.ts";
import { countUploads, expectStored, planDataset, readRows } from "./rig.ts";

// What an upload whose response was lost has stored is found, and nothing else is taken for it.

const devnet = devnetForTests();
const quick = { retryMs: 1 };

afterEach(() => devnet().faults.clear());

/** Stores a dataset in one account; returns what stores the same in another, which lists nothing of it yet. */
async function storeElsewhere() {
  const { data, plan, upload } = await planDataset(devnet(), 3);
  await runBulk(plan, { upload });
  const own = await planBulk(data, { folder: join(await scratch(), "plan") });
  const other = { ...upload, apiKey: await getApiKey(devnet(), account(devnet(), 1)) };
  const { cid } = (await iterateFiles(upload).next()).value ?? { cid: "" };
  const countListed = async () => {
    let count = 0;
    for await (const file of iterateFiles(other)) if (file.cid === cid) count++;
    return count;
  };
  return { plan: own.plan, upload: other, countListed };
}

const losesResponse = { service: "upload", times: 1, action: { kind: "cut", atByte: 1 } } as const;

test("what only another account has stored is sent after a failure", async () => {
  const { plan, upload, countListed } = await storeElsewhere();
  devnet().faults.add({ service: "upload", times: 1, action: { kind: "respond", status: 503 } });
  expect(await runBulk(plan, { upload, ...quick })).toMatchObject({ filesDone: 3 });
  expect(await countListed()).toBe(1);
});

test("what another account has stored, too, is not sent again, even if the listing is late", async () => {
  const { plan, upload, countListed } = await storeElsewhere();
  devnet().faults.add(losesResponse);
  const json = { fileList: [], totalFiles: 0 };
  devnet().faults.add({
    service: "api",
    path: /files_uploaded/,
    times: 1,
    action: { kind: "respond", status: 200, json },
  });
  expect(await runBulk(plan, { upload, ...quick })).toMatchObject({ filesDone: 3 });
  expect(await countListed()).toBe(1);
});

test("a batch that was stored is not sent again because some of its files have changed since", async () => {
  const { data, plan, upload, ledgerPlace } = await planDataset(devnet(), 20);
  const before = countUploads(devnet());
  devnet().faults.add(losesResponse);
  const onError = () => {
    rmSync(join(data, "d000/f000003.txt"));
    writeFileSync(join(data, "d000/f000007.txt"), "it changed");
  };
  expect(await runBulk(plan, { upload, ...quick, onError })).toMatchObject({ filesDone: 20, setAside: 0 });
  expect(countUploads(devnet()) - before).toBeLessThanOrEqual(1);
  const rows = await readRows(plan, ledgerPlace);
  const isAsPlanned = ({ path }: { path: string }) => !/00000[37]/.test(path);
  await expectStored(devnet(), data, rows.filter(isAsPlanned));
  expect(rows.every(({ cid, root }) => cid !== undefined && root !== undefined)).toBe(true);
});

test("half of a batch that was stored is not sent again because one of its files is gone", async () => {
  const { data, plan, upload, ledgerPlace } = await planDataset(devnet(), 8);
  devnet().faults.add({ service: "upload", times: 1, action: { kind: "respond", status: 422 } });
  // The response to the first half arrives.
  devnet().faults.add({ ...losesResponse, after: 1 });
  const onError = () => rmSync(join(data, "d000/f000006.txt"));
  expect(await runBulk(plan, { upload, ...quick, onError })).toMatchObject({ filesDone: 8, setAside: 0 });
  const roots = (await readRows(plan, ledgerPlace)).map(({ root }) => root);
  expect(new Set(roots).size).toBe(2);
  const half = roots.at(-1);
  let listed = 0;
  for await (const { cid } of iterateFiles(upload)) if (cid === half) listed++;
  expect(listed).toBe(1);
});

test("what a version that recorded nothing has sent is found by its files", async () => {
  const { data, plan, upload, ledgerPlace } = await planDataset(devnet(), 5);
  const before = countUploads(devnet());
  devnet().faults.add(losesResponse);
  expect(await runBulk(plan, { upload, attempts: 1, outageMs: 0 })).toMatchObject({ setAside: 5 });
  const ledger = await openBulkLedger(ledgerPlace);
  await getLedger(ledger).setSent(plan.id, 0, { roots: [], cids: {} });
  await retryBulk(plan.id, ledger);
  expect(await runBulk(plan, { upload, ledger })).toMatchObject({ filesDone: 5 });
  await ledger.close();
  expect(countUploads(devnet()) - before).toBeLessThanOrEqual(1);
  await expectStored(devnet(), data, await readRows(plan, ledgerPlace));
});
