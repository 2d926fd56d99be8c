import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { upload } from "../../../src/index.ts";
import { account, devnetForTests, getApiKey } from "../../../test/support/devnet-wire.ts";
import { scratch } from "../../../test/support/files.ts";
import { planBulk, runBulk } from "../src/index.ts";
import { countUploads, expectStored, readRows } from "./rig.ts";

const devnet = devnetForTests();

afterEach(() => {
  devnet().faults.clear();
  devnet().attacks.clear();
});

const names = { "a+b": "a b", "x%41": "xA", "100%": "100%" };

async function prepare() {
  const root = await scratch();
  await mkdir(join(root, "data"));
  for (const name of Object.keys(names)) await writeFile(join(root, "data", name), `file ${name}`);
  const { plan } = await planBulk(join(root, "data"), { folder: join(root, "plan") });
  const options = { apiKey: await getApiKey(devnet(), account(devnet(), 0)), endpoints: devnet().endpoints };
  return { root, data: join(root, "data"), plan, options };
}

test("files are stored, whether or not a node decodes their names", async () => {
  const { data, plan, options } = await prepare();
  expect(await runBulk(plan, { upload: options })).toMatchObject({ filesDone: 3, setAside: 0 });
  await expectStored(devnet(), data, await readRows(plan, join(plan.folder, "ledger")));
});

test("a node that decodes names is believed, and what it has is found again", async () => {
  const { root, data, plan, options } = await prepare();
  // What such a node has: the devnet decodes no more than pages escape.
  const decoded = join(root, "data-00000");
  await mkdir(decoded);
  for (const [name, stored] of Object.entries(names)) await writeFile(join(decoded, stored), `file ${name}`);
  const [{ Hash }] = await upload(decoded, options);
  devnet().attacks.add({ kind: "misreport-upload", change: (items) => items.map((item) => ({ ...item, Hash })) });
  devnet().faults.add({ service: "upload", times: 1, action: { kind: "cut", atByte: 1 } });
  const before = countUploads(devnet());
  expect(await runBulk(plan, { upload: options, retryMs: 1 })).toMatchObject({ filesDone: 3, setAside: 0 });
  expect(countUploads(devnet()) - before).toBeLessThanOrEqual(1);
  await expectStored(devnet(), data, await readRows(plan, join(plan.folder, "ledger")));
});

test("a node that decodes names is believed at once, even if the network does not list the folder yet", async () => {
  const { root, plan, options } = await prepare();
  const decoded = join(root, "data-00000");
  await mkdir(decoded);
  for (const [name, stored] of Object.entries(names)) await writeFile(join(decoded, stored), `file ${name}`);
  const [{ Hash }] = await upload(decoded, options);
  devnet().attacks.add({ kind: "misreport-upload", change: (items) => items.map((item) => ({ ...item, Hash })) });
  devnet().faults.add({ service: "api", path: "/api/lighthouse/file_info", action: { kind: "respond", status: 404 } });
  expect(await runBulk(plan, { upload: options, retryMs: 1 })).toMatchObject({ filesDone: 3, setAside: 0 });
});

test("another folder is not believed", async () => {
  const { plan, options } = await prepare();
  const other = "bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e";
  devnet().attacks.add({
    kind: "misreport-upload",
    change: (items) => items.map((item) => ({ ...item, Hash: other })),
  });
  devnet().faults.add({ service: "api", path: "/api/lighthouse/file_info", action: { kind: "respond", status: 404 } });
  expect(await runBulk(plan, { upload: options })).toMatchObject({ filesDone: 0, setAside: 3 });
  const [row] = await readRows(plan, join(plan.folder, "ledger"));
  expect(row?.problem?.code).toBe("CID_MISMATCH");
});
