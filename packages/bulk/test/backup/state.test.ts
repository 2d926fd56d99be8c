import { execFileSync } from "node:child_process";
import { mkdir, readdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Wallet } from "ethers";
import { expect, test } from "vitest";
import { openJournal, uploadTextEncrypted } from "../../../../src/index.ts";
import { account, devnetForTests, getApiKey } from "../../../../test/support/devnet-wire.ts";
import { failure } from "../../../../test/support/failure.ts";
import { writeTree } from "../../../../test/support/files.ts";
import { backupFolder, previewBackup, pruneSnapshots, restoreBackup } from "../../src/backup/index.ts";
import { planBulk } from "../../src/index.ts";
import { prepareBackup, readTree } from "./rig.ts";

const devnet = devnetForTests({ unkind: true });

test("a state without its key starts from nothing, and what it stores can be restored", async () => {
  const { place, folder, options, reader } = await prepareBackup(devnet(), { a: "a", b: "b" });
  await backupFolder(folder, options);
  await rm(join(options.state, "set.json"));
  const { cid, sent } = await backupFolder(folder, options);
  expect(sent).toBe(2);
  await restoreBackup(cid, join(place, "to"), reader);
  expect(await readTree(join(place, "to"))).toEqual(await readTree(folder));
});

test.skipIf(process.platform === "win32")("a state that is no file is refused without waiting", async () => {
  const { folder, options } = await prepareBackup(devnet(), { a: "a" });
  await mkdir(options.state);
  execFileSync("mkfifo", [join(options.state, "set.json")]);
  for (const call of [() => backupFolder(folder, options), () => pruneSnapshots({ ...options, keep: 1 })]) {
    expect((await failure(call())).code).toBe("SOURCE_UNREADABLE");
  }
});

test("a state is for one account", async () => {
  const { folder, options } = await prepareBackup(devnet(), { a: "a" });
  await backupFolder(folder, options);
  const other = account(devnet(), 1);
  const others = { ...options, apiKey: await getApiKey(devnet(), other), signer: new Wallet(other.privateKey) };
  expect((await failure(backupFolder(folder, others))).code).toBe("INVALID_OPTION");
  expect((await failure(pruneSnapshots({ ...others, keep: 1 }))).code).toBe("INVALID_OPTION");
});

test("files become public only by a call that says so", async () => {
  const { folder, options } = await prepareBackup(devnet(), { a: "a" });
  await backupFolder(folder, { ...options, public: true });
  await writeFile(join(folder, "private.txt"), "private");
  expect((await failure(backupFolder(folder, options))).code).toBe("INVALID_OPTION");
});

test("a state cannot be the folder itself, nor above it", async () => {
  const { place, folder, options } = await prepareBackup(devnet(), { a: "a" });
  for (const state of [folder, place]) {
    expect((await failure(backupFolder(folder, { ...options, state }))).code).toBe("INVALID_OPTION");
  }
  expect(await readdir(place)).toEqual(["letters"]);
});

test("a state inside the folder is left out, whatever links lead there", async () => {
  const { place, folder, options } = await prepareBackup(devnet(), { a: "a" });
  await symlink(folder, join(place, "link"));
  const state = join(folder, "state");
  expect(await backupFolder(join(place, "link"), { ...options, state })).toMatchObject({ files: 1, sent: 1 });
  expect(await backupFolder(join(place, "link"), { ...options, state })).toMatchObject({ files: 1, isUnchanged: true });
  const error = await failure(backupFolder(folder, { ...options, state: join(place, "link") }));
  expect(error).toMatchObject({ code: "INVALID_OPTION", details: { option: "state" } });
});

test("a public backup leaves out plans, journals and the state of other backups, which another backup has", async () => {
  const { place, folder, options } = await prepareBackup(devnet(), { a: "a", "deep/b": "b" });
  await openJournal({ folder: join(folder, "deep", "journal") });
  await backupFolder(await writeTree(join(place, "other"), { c: "c" }), { ...options, state: join(folder, "other") });
  const { plan } = await planBulk(join(place, "other"), { folder: join(folder, "plan") });
  const { files, skipped } = await backupFolder(folder, { ...options, public: true });
  expect(files).toBe(2);
  expect(skipped.map(({ path, code }) => `${path} ${code}`)).toEqual([
    "deep/journal INVALID_SOURCE",
    "other INVALID_SOURCE",
    "plan INVALID_SOURCE",
  ]);
  expect(await previewBackup(folder, { state: options.state })).toMatchObject({ files: 2, filesToSend: 0 });
  const mine = { ...options, state: join(place, "mine") };
  expect((await failure(backupFolder(plan.folder, { ...mine, public: true }))).code).toBe("INVALID_SOURCE");
  expect((await backupFolder(folder, { ...options, state: join(place, "private") })).files).toBeGreaterThan(5);
});

test("a run that was removed in part is not sent again", async () => {
  const { folder, options } = await prepareBackup(devnet(), { a: "a", b: "b" });
  await backupFolder(folder, options);
  await mkdir(join(options.state, "run.old"));
  expect(await backupFolder(folder, options)).toMatchObject({ sent: 0, isUnchanged: true });
});

test("a damaged run is named, and can be removed", async () => {
  const { folder, options } = await prepareBackup(devnet(), { a: "a" });
  const run = join(options.state, "run");
  await mkdir(run, { recursive: true });
  await writeFile(join(run, "run.json"), "{");
  await backupFolder(folder, options);
  await mkdir(run, { recursive: true });
  await writeFile(join(run, "run.json"), "{");
  const failed = await failure(backupFolder(folder, options));
  expect(failed).toMatchObject({ code: "INVALID_OPTION" });
  expect(failed.message).toContain(run);
  await rename(run, `${run}.away`);
  expect(await backupFolder(folder, options)).toMatchObject({ isUnchanged: true });
});

test("snapshots that no call has returned are deleted once they are older than those that are kept", async () => {
  const { folder, options } = await prepareBackup(devnet(), { a: "a" });
  const first = await backupFolder(folder, options);
  const { state, ...owner } = options;
  const { id } = JSON.parse(await readFile(join(state, "set.json"), "utf8"));
  await uploadTextEncrypted("lost", { ...owner, name: `keeplight-backup-${id}.${first.createdAt - 1}.snapshot` });
  expect(await pruneSnapshots({ ...options, keep: 1 })).toMatchObject({ kept: 1, snapshots: 1 });
});
