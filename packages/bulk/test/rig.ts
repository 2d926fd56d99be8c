import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import { decrypt, download, getFileInfo } from "../../../src/index.ts";
import { as } from "../../../test/kavach/saved-keys.ts";
import { account, getApiKey } from "../../../test/support/devnet-wire.ts";
import { scratch, writeTree } from "../../../test/support/files.ts";
import type { Devnet } from "../../devnet/src/index.ts";
import { type BulkPlan, openBulkLedger, planBulk } from "../src/index.ts";
import type { LedgerRow } from "../src/ledger/ledger.ts";
import { getLedger } from "../src/ledger/open-ledger.ts";

let datasets = 0;

const FILES_PER_FOLDER = 100;

/** Writes files into folders of a hundred; no other dataset has the same. */
async function writeDataset(folder: string, count: number, size = 20): Promise<string> {
  const dataset = datasets++;
  for (let first = 0; first < count; first += FILES_PER_FOLDER) {
    const files = Array.from({ length: Math.min(FILES_PER_FOLDER, count - first) }, (_, index) => {
      const at = first + index;
      return [`f${String(at).padStart(6, "0")}.txt`, `file ${at} of ${dataset} `.padEnd(size, "x")] as const;
    });
    const name = `d${String(first / FILES_PER_FOLDER).padStart(3, "0")}`;
    await writeTree(join(folder, name), Object.fromEntries(files));
  }
  return folder;
}

/** Plans a new dataset; returns what runs it. */
export async function planDataset(
  devnet: Devnet,
  count: number,
  { size, ...options }: { encrypted?: boolean; oneKeyPerBatch?: boolean; size?: number } = {},
) {
  const root = await scratch();
  const data = await writeDataset(join(root, "data"), count, size);
  const { plan } = await planBulk(data, { folder: join(root, "plan"), ...options });
  const upload = { apiKey: await getApiKey(devnet, account(devnet, 0)), endpoints: devnet.endpoints };
  return { data, plan, upload, ledgerPlace: join(plan.folder, "ledger") };
}

/** Plans files that are a batch each: a node may take their names for one. */
export async function planBatches(devnet: Devnet, count: number) {
  const { upload } = await planDataset(devnet, 1);
  const names = Array.from({ length: count }, (_, at) =>
    Array.from("abcd", (letter, bit) => ((at >> bit) & 1 ? `%${letter.charCodeAt(0).toString(16)}` : letter)).join(""),
  );
  const root = await scratch();
  const data = await writeTree(join(root, "data"), Object.fromEntries(names.map((name) => [name, name])));
  const { plan } = await planBulk(data, { folder: join(root, "plan") });
  expect(plan.batches).toBe(count);
  return { plan, upload, data };
}

/** Plans a new dataset of encrypted files; returns what runs it, as the devnet's first wallet. */
export async function planEncrypted(devnet: Devnet, count: number, options: { oneKeyPerBatch?: boolean } = {}) {
  const { upload, ...planned } = await planDataset(devnet, count, { encrypted: true, ...options });
  return { ...planned, upload: { ...upload, ...toOwner(devnet, 0) } };
}

/** Lists the entries of the journal beside a ledger. */
export async function listEntries(ledgerPlace: string): Promise<string[]> {
  return (await readdir(`${ledgerPlace}-journal`)).filter((name) => name.endsWith(".entry"));
}

/** Reads all rows of a plan. */
export async function readRows(plan: BulkPlan, place: string): Promise<LedgerRow[]> {
  const handle = await openBulkLedger(place);
  try {
    const rows: LedgerRow[] = [];
    for (let batch = 0; batch < plan.batches; batch++) rows.push(...(await getLedger(handle).read(plan.id, batch)));
    return rows;
  } finally {
    await handle.close();
  }
}

/** Every row has a content id under which the network has the bytes of its file, and one of a folder that the network lists. */
export async function expectStored(devnet: Devnet, data: string, rows: readonly LedgerRow[]): Promise<void> {
  const wrong: string[] = [];
  for (const { path, cid = "" } of rows) {
    const expected = await readFile(join(data, path));
    const got = cid === "" ? undefined : await download(cid, { endpoints: devnet.endpoints });
    if (!got || !expected.equals(got)) wrong.push(path);
  }
  expect(wrong).toEqual([]);
  for (const root of new Set(rows.map((row) => row.root ?? "")))
    await getFileInfo(root, { endpoints: devnet.endpoints });
}

/** Options of the owner of encrypted files: the devnet's nth wallet. */
export function toOwner(devnet: Devnet, n: number) {
  const { signer } = as(devnet, n);
  return { signer, endpoints: devnet.endpoints, pauseMs: 0 };
}

/** Every row has a content id under which its owner decrypts the bytes of its file. */
export async function expectDecrypted(devnet: Devnet, data: string, rows: readonly LedgerRow[]): Promise<void> {
  const wrong: string[] = [];
  const left = rows.values();
  const owner = as(devnet, 0);
  const work = async () => {
    for (const { path, cid = "" } of left) {
      const expected = await readFile(join(data, path));
      const got = cid === "" ? undefined : await decrypt(cid, owner);
      if (!got || !expected.equals(got)) wrong.push(path);
    }
  };
  await Promise.all(Array.from({ length: 8 }, work));
  expect(wrong).toEqual([]);
}

/** Counts the uploads that the devnet has received. */
export function countUploads(devnet: Devnet): number {
  return devnet.requests().filter(({ service, status }) => service === "upload" && status === 200).length;
}

/** Has the upload node name another content id than that of what it stores, which the network does not list. */
export function misreportUploads({ attacks, faults }: Devnet): void {
  const Hash = "bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e";
  attacks.add({ kind: "misreport-upload", change: (items) => items.map((item) => ({ ...item, Hash })) });
  faults.add({ service: "api", path: "/api/lighthouse/file_info", action: { kind: "respond", status: 404 } });
}
