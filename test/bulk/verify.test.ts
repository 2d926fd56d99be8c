import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { getBulkStatus, openBulkLedger, retryBulk, runBulk, verifyBulk } from "../../src/bulk/index.ts";
import { devnetForTests } from "../support/devnet-wire.ts";
import { failure } from "../support/failure.ts";
import { planDataset, readRows } from "./rig.ts";

const devnet = devnetForTests();

afterEach(() => devnet().faults.clear());

async function prepare() {
  const { plan, upload, ledgerPlace, data } = await planDataset(devnet(), 20);
  const ledger = await openBulkLedger(ledgerPlace);
  await runBulk(plan, { upload, ledger });
  await ledger.close();
  const rows = await readRows(plan, ledgerPlace);
  return { plan, upload, rows, data, ledger: await openBulkLedger(ledgerPlace), endpoints: devnet().endpoints };
}

test("files are read back, all or a sample", async () => {
  const { plan, ledger, endpoints } = await prepare();
  const { verified } = await verifyBulk(plan.id, { ledger, endpoints, sample: 0.5 });
  expect(verified).toBe(10);
  expect((await getBulkStatus(plan, ledger)).counts.verified).toBe(verified);
  const seen: { files: number; bytes: number }[] = [];
  const onProgress = (read: (typeof seen)[number]) => void seen.push(read);
  const found = await verifyBulk(plan.id, { ledger, endpoints, onProgress });
  expect(found).toEqual({ verified: 20, lost: [], unread: [] });
  expect(seen.at(-1)).toEqual({ files: 20, bytes: plan.bytes });
  expect(await getBulkStatus(plan, ledger)).toMatchObject({ counts: { verified: 20 }, filesDone: 20 });
  await ledger.close();
});

test("a sample has at least one file", async () => {
  const { plan, ledger, endpoints } = await prepare();
  expect(await verifyBulk(plan.id, { ledger, endpoints, sample: 0.0001 })).toMatchObject({ verified: 1 });
  await ledger.close();
});

test("a file that the network has lost is named, and sent again by a retry", async () => {
  const { plan, upload, rows, data, ledger, endpoints } = await prepare();
  const lost = rows[3];
  devnet().faults.add({
    service: "gateway",
    path: new RegExp(lost?.cid ?? ""),
    action: { kind: "respond", status: 404 },
  });
  const found = await verifyBulk(plan.id, { ledger, endpoints });
  expect(found).toEqual({ verified: 19, lost: [lost?.path], unread: [] });
  expect(await getBulkStatus(plan, ledger)).toMatchObject({ filesDone: 19, setAside: 1 });
  devnet().faults.clear();
  expect(await retryBulk(plan.id, ledger)).toBe(1);
  expect(await runBulk(plan, { upload, ledger })).toMatchObject({ filesDone: 20, setAside: 0 });
  expect(await verifyBulk(plan.id, { ledger, endpoints })).toMatchObject({ verified: 20 });
  expect(await readFile(join(data, lost?.path ?? ""), "utf8")).toMatch(/^file 3 /);
  await ledger.close();
});

test("a gateway that is down, or sends other bytes, does not make a file lost", async () => {
  const { plan, ledger, endpoints } = await prepare();
  devnet().faults.add({ service: "gateway", action: { kind: "respond", status: 503 } });
  const down = await verifyBulk(plan.id, { ledger, endpoints });
  expect(down).toMatchObject({ verified: 0, lost: [] });
  expect(down.unread).toHaveLength(20);
  devnet().faults.clear();
  devnet().faults.add({ service: "gateway", action: { kind: "respond", text: "other bytes" } });
  const lying = await verifyBulk(plan.id, { ledger, endpoints });
  expect(lying).toMatchObject({ verified: 0, lost: [] });
  expect(lying.unread).toHaveLength(20);
  expect(await getBulkStatus(plan, ledger)).toMatchObject({ filesDone: 20, counts: { stored: 20, verified: 0 } });
  await ledger.close();
});

test("options that cannot be meant are refused", async () => {
  const { plan, ledger, endpoints } = await prepare();
  expect((await failure(verifyBulk(plan.id, { ledger, endpoints, sample: 0 }))).code).toBe("INVALID_OPTION");
  expect((await failure(verifyBulk("unknown", { ledger, endpoints }))).code).toBe("INVALID_OPTION");
  await ledger.close();
});
