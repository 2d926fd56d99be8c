import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { deleteFile, iterateFiles } from "../../../src/index.ts";
import { devnetForTests } from "../../../test/support/devnet-wire.ts";
import { failure } from "../../../test/support/failure.ts";
import { getBulkStatus, openBulkLedger, retryBulk, runBulk, verifyBulk } from "../src/index.ts";
import type { LedgerRow } from "../src/ledger/ledger.ts";
import { planDataset, planEncrypted, readRows } from "./rig.ts";

const devnet = devnetForTests();

afterEach(() => devnet().faults.clear());

async function prepare(encrypted = false) {
  const { plan, upload, ledgerPlace, data } = await (encrypted
    ? planEncrypted(devnet(), 20)
    : planDataset(devnet(), 20));
  const ledger = await openBulkLedger(ledgerPlace);
  await runBulk(plan, { upload, ledger });
  await ledger.close();
  const rows = await readRows(plan, ledgerPlace);
  return { plan, upload, rows, data, ledger: await openBulkLedger(ledgerPlace), endpoints: devnet().endpoints };
}

/** Deletes files from what the network lists: with their folder, unless they are encrypted. */
async function unlist(apiKey: string, rows: readonly (LedgerRow | undefined)[]): Promise<void> {
  const options = { apiKey, endpoints: devnet().endpoints };
  const listed = rows.map((row) => row?.root ?? row?.cid);
  for await (const { cid, id } of iterateFiles(options)) if (listed.includes(cid)) await deleteFile(id, options);
}

/** Lets gateways find none of these content ids. */
function hideFromGateways(cid = ""): void {
  devnet().faults.add({ service: "gateway", path: new RegExp(cid), action: { kind: "respond", status: 404 } });
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

test("a sample of a plan most of whose files are set aside has at least one file that can be read", async () => {
  const { plan, upload, ledgerPlace, data } = await planDataset(devnet(), 20);
  const [folder = ""] = await readdir(data);
  for (const name of (await readdir(join(data, folder))).slice(1)) await rm(join(data, folder, name));
  const ledger = await openBulkLedger(ledgerPlace);
  expect(await runBulk(plan, { upload, ledger })).toMatchObject({ filesDone: 1, setAside: 19 });
  const found = await verifyBulk(plan.id, { ledger, endpoints: devnet().endpoints, sample: 0.01 });
  expect(found).toEqual({ verified: 1, lost: [], unread: [] });
  await ledger.close();
});

test("an abort, or a listener that fails, ends all reads, and what was read before stays verified", async () => {
  const { plan, ledger, endpoints } = await prepare();
  const verify = (onProgress: (read: { files: number }) => void, signal?: AbortSignal) =>
    verifyBulk(plan.id, { ledger, endpoints, workers: 2, onProgress, signal });
  const countVerified = async () => (await getBulkStatus(plan, ledger)).counts.verified;
  let calls = 0;
  const failing = verify(() => {
    calls++;
    if (calls === 5) throw new Error("of the listener");
  });
  await expect(failing).rejects.toThrow("of the listener");
  expect([calls, await countVerified()]).toEqual([5, 5]);
  const stop = new AbortController();
  const aborted = verify(({ files }) => void (files === 9 && stop.abort()), stop.signal);
  expect((await failure(aborted)).code).toBe("ABORTED");
  expect(await countVerified()).toBe(9);
  expect(calls).toBe(5);
  await ledger.close();
});

const kinds = [
  { kind: "plain", encrypted: false },
  { kind: "encrypted", encrypted: true },
];

test.each(kinds)(
  "a file that the network has lost is named, and sent again by a retry, $kind",
  async ({ encrypted }) => {
    const { plan, upload, rows, data, ledger, endpoints } = await prepare(encrypted);
    const lost = rows[3];
    hideFromGateways(lost?.cid);
    await unlist(upload.apiKey, [lost]);
    const found = await verifyBulk(plan.id, { ledger, endpoints });
    expect(found).toEqual({ verified: 19, lost: [lost?.path], unread: [] });
    expect(await getBulkStatus(plan, ledger)).toMatchObject({ filesDone: 19, setAside: 1 });
    devnet().faults.clear();
    expect(await retryBulk(plan.id, ledger)).toBe(1);
    expect(await runBulk(plan, { upload, ledger })).toMatchObject({ filesDone: 20, setAside: 0 });
    expect(await verifyBulk(plan.id, { ledger, endpoints })).toMatchObject({ verified: 20 });
    expect(await readFile(join(data, lost?.path ?? ""), "utf8")).toMatch(/^file 3 /);
    await ledger.close();
  },
);

test.each(kinds)("a lost file that is found again is no longer set aside, $kind", async ({ encrypted }) => {
  const { plan, upload, rows, ledger, endpoints } = await prepare(encrypted);
  const lost = rows[3];
  hideFromGateways(lost?.cid);
  await unlist(upload.apiKey, [lost]);
  for (let times = 0; times < 2; times++) {
    expect(await verifyBulk(plan.id, { ledger, endpoints })).toMatchObject({ verified: 19, lost: [lost?.path] });
  }
  devnet().faults.clear();
  expect(await verifyBulk(plan.id, { ledger, endpoints })).toEqual({ verified: 20, lost: [], unread: [] });
  const counts = { found: 0, sent: 0, stored: 0, saved: 0, verified: 20 };
  expect(await getBulkStatus(plan, ledger)).toMatchObject({ counts, filesDone: 20, setAside: 0 });
  expect(await retryBulk(plan.id, ledger)).toBe(0);
  await ledger.close();
});

test.each(kinds)(
  "a file that gateways do not find is not lost while the network lists it, $kind",
  async ({ encrypted }) => {
    const { plan, upload, rows, ledger, endpoints } = await prepare(encrypted);
    const unread = rows.map(({ path }) => ({ path, code: "HTTP_STATUS" }));
    const verify = async () => {
      const found = await verifyBulk(plan.id, { ledger, endpoints });
      return { ...found, unread: found.unread.toSorted((a, b) => (a.path < b.path ? -1 : 1)) };
    };
    hideFromGateways();
    expect(await verify()).toEqual({ verified: 0, lost: [], unread });
    expect(await retryBulk(plan.id, ledger)).toBe(0);
    // Nor while nobody says whether it does.
    await unlist(upload.apiKey, rows);
    devnet().faults.add({ service: "api", action: { kind: "respond", status: 500 } });
    expect(await verify()).toEqual({ verified: 0, lost: [], unread });
    expect(await getBulkStatus(plan, ledger)).toMatchObject({ filesDone: 20, setAside: 0 });
    await ledger.close();
  },
);

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
