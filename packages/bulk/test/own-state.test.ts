import { readdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openJournal } from "../../../src/index.ts";
import { devnetForTests } from "../../../test/support/devnet-wire.ts";
import { failure } from "../../../test/support/failure.ts";
import { scratch, writeTree } from "../../../test/support/files.ts";
import { manifestSource, openBulkLedger, planBulk, readBulkPlan, runBulk } from "../src/index.ts";
import { planDataset } from "./rig.ts";

const devnet = devnetForTests();

test("a plan is not made inside the folder that it lists, whatever links lead there, and nothing is written", async () => {
  const root = await scratch();
  const data = await writeTree(join(root, "data"), { "a.txt": "a", "below/b.txt": "b" });
  await symlink(join(data, "below"), join(root, "link"));
  await symlink(data, join(root, "same"));
  const places: [source: string, folder: string][] = [
    [data, data],
    [data, join(data, ".plan")],
    [data, join(data, "below", "new", "plan")],
    [data, join(root, "link", "plan")],
    [join(root, "same"), join(data, "plan")],
    [data, join(root, "same", "plan")],
  ];
  for (const [source, folder] of places) {
    const error = await failure(planBulk(source, { folder }));
    expect(error).toMatchObject({ code: "INVALID_OPTION", details: { option: "folder" } });
  }
  expect((await readdir(data, { recursive: true })).sort()).toEqual(["a.txt", "below", join("below", "b.txt")]);
  // Its name starts with that of the folder.
  expect((await planBulk(data, { folder: `${data}.plan` })).plan.files).toBe(2);
});

test("a manifest lists files beside its plan", async () => {
  const root = await writeTree(await scratch(), { a: "a", "files.jsonl": '{"path":"a","size":1}' });
  const { plan } = await planBulk(manifestSource(join(root, "files.jsonl"), root), { folder: join(root, "plan") });
  expect(plan).toMatchObject({ files: 1, root });
});

test("a manifest that lists the key of a journal is refused, or its other files are planned", async () => {
  const root = await writeTree(await scratch(), { "set.json": "[]", "other/journal.key": "x".repeat(32) });
  await openJournal({ folder: join(root, "journal") });
  const paths = ["journal/journal.json", "journal/journal.key", "other/journal.key", "set.json", "no/set.json"];
  await writeFile(join(root, "files.jsonl"), paths.map((path) => `{"path":"${path}","size":32}\n`).join(""));
  const source = manifestSource(join(root, "files.jsonl"), root);
  const error = await failure(planBulk(source, { folder: join(root, "strict") }));
  expect(error).toMatchObject({ code: "INVALID_SOURCE", details: { name: "journal/journal.key" } });
  const skipped: object[] = [];
  const onSkipped = (each: object) => void skipped.push(each);
  expect((await planBulk(source, { folder: join(root, "plan"), onSkipped })).plan.files).toBe(4);
  expect(skipped).toEqual([{ path: "journal/journal.key", code: "INVALID_SOURCE" }]);
});

test("a folder with a plan, a journal or the state of backups is left out, and others with such names are not", async () => {
  const root = await scratch();
  const data = await writeTree(join(root, "data"), {
    a: "a",
    "mine/plan.json": '{"id":"1","place":"here"}',
    "mine/set.json": "[]",
    "mine/journal.key": "x".repeat(32),
    "set/set.json": JSON.stringify({ version: 1, id: "0".repeat(16), root: "/data", encryption: {}, snapshots: [] }),
    "set/index.jsonl": "",
    "state/repository.json": JSON.stringify({ version: 1, id: "0".repeat(16), cid: "bafy", secret: "1".repeat(64) }),
    "mine/repository.json": '{"id":"0000000000000000"}',
  });
  await planBulk(await writeTree(join(root, "other"), { b: "b" }), { folder: join(data, "plan") });
  await writeFile(join(data, "plan", "more"), "");
  await openJournal({ folder: join(data, "deep", "journal") });
  expect(await readdir(join(data, "deep", "journal"))).toContain("journal.key");
  // A copy of the key is as secret as the key.
  for (const name of ["journal.key", "journal.json"]) await rm(join(data, "deep", "journal", name));
  const error = await failure(planBulk(data, { folder: join(root, "strict") }));
  expect(error).toMatchObject({ code: "INVALID_SOURCE", details: { name: "deep/journal" } });
  const skipped: string[] = [];
  const onSkipped = ({ path, code }: { path: string; code: string }) => void skipped.push(`${path} ${code}`);
  const { plan } = await planBulk(data, { folder: join(root, "plan"), onSkipped });
  expect(skipped).toEqual(["deep/journal", "plan", "set", "state"].map((path) => `${path} INVALID_SOURCE`));
  const text = await readFile(join(plan.folder, "manifest.jsonl"), "utf8");
  const paths = Array.from(text.matchAll(/"path":"(.*?)"/g), ([, path]) => path);
  expect(paths).toEqual(["a", "mine/journal.key", "mine/plan.json", "mine/repository.json", "mine/set.json"]);
  expect((await failure(planBulk(join(data, "plan"), { folder: join(root, "3"), onSkipped }))).code).toBe(
    "INVALID_SOURCE",
  );
});

test("logins and keystores of the command line are left out, and others with such names are not", async () => {
  const keystore = JSON.stringify({ address: "0".repeat(40), version: 3, Crypto: { kdf: "scrypt" } });
  const login = JSON.stringify({ version: 1, address: `0x${"0".repeat(40)}`, store: "sealed", sealed: {} });
  const root = await writeTree(await scratch(), {
    "data/a.txt": "a",
    "data/mine/login.json": '{"address":"12 High Street","store":"shoes"}',
    "data/mine/api-keys.json": "{}",
    "data/mine/keystore-0.json": keystore,
    // After a logout its keystore is still there.
    [`data/out/keystore-0x${"aB".repeat(20)}.json`]: keystore,
    "data/state/login-work.json": login,
    "data/state/profile": "work",
    "data/keys/api-keys.json": JSON.stringify({ ["0".repeat(64)]: `0x${"0".repeat(40)}` }),
    "files.jsonl": '{"path":"a.txt","size":1}\n{"path":"state/login-work.json","size":1}\n',
  });
  const skipped: string[] = [];
  const onSkipped = ({ path, code }: { path: string; code: string }) => void skipped.push(`${path} ${code}`);
  const data = join(root, "data");
  expect((await planBulk(data, { folder: join(root, "plan"), onSkipped })).plan.files).toBe(4);
  expect(skipped.splice(0)).toEqual(["keys", "out", "state"].map((path) => `${path} INVALID_SOURCE`));
  const source = manifestSource(join(root, "files.jsonl"), data);
  expect((await planBulk(source, { folder: join(root, "listed"), onSkipped })).plan.files).toBe(1);
  expect(skipped).toEqual(["state/login-work.json INVALID_SOURCE"]);
});

test("a plan is run only with a ledger outside of the folder that it lists, and continues once it is moved out", async () => {
  const { data, plan, upload } = await planDataset(devnet(), 2);
  const ledger = await openBulkLedger(join(data, "ledger"));
  const error = await failure(runBulk(plan, { upload, ledger }));
  expect(error).toMatchObject({ code: "INVALID_OPTION", details: { option: "ledger" } });
  await ledger.close();
  // As earlier versions have made them.
  const inside = join(data, "plan");
  await rename(plan.folder, inside);
  const refused = await failure(runBulk(await readBulkPlan(inside), { upload }));
  expect(refused).toMatchObject({ code: "INVALID_OPTION", details: { option: "plan" } });
  expect(await readdir(inside)).not.toContain("ledger");
  await rename(inside, plan.folder);
  expect(await runBulk(await readBulkPlan(plan.folder), { upload })).toMatchObject({ filesDone: 2 });
});
