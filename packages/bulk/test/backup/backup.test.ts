import { chmod, mkdir, readFile, rename, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { devnetForTests } from "../../../../test/support/devnet-wire.ts";
import { failure } from "../../../../test/support/failure.ts";
import { backupFolder, restoreBackup } from "../../src/backup/index.ts";
import { prepareBackup, readTree } from "./rig.ts";

const devnet = devnetForTests();

afterEach(() => {
  devnet().faults.clear();
  devnet().attacks.clear();
});

const letters = {
  "a.txt": "first",
  "b/c.txt": "second",
  "b/d/e+f%41.txt": "third",
  empty: "",
  "ü/ß": "x".repeat(300_000),
};

test("a folder is restored as it was, on a machine that has the wallet alone", async () => {
  const { place, folder, options, reader } = await prepareBackup(devnet(), letters);
  await mkdir(join(folder, "b", "nothing"), { mode: 0o750 });
  await symlink("../a.txt", join(folder, "b", "link"));
  await chmod(join(folder, "a.txt"), 0o640);
  await utimes(join(folder, "a.txt"), 1_000_000, 1_000_000.25);
  await utimes(join(folder, "b"), 2_000_000, 2_000_000);
  const backup = await backupFolder(folder, options);
  expect(backup).toMatchObject({ files: 5, sent: 4, skipped: [], isUnchanged: false });
  const to = join(place, "restored", "deep");
  const restored = await restoreBackup(backup.cid, to, reader);
  expect(restored).toEqual({ files: 5, bytes: backup.bytes, restored: 5, skipped: [] });
  expect(await readTree(to)).toEqual(await readTree(folder));
  expect(await restoreBackup(backup.cid, to, reader)).toMatchObject({ restored: 0 });
});

test("only changed files are sent, and every snapshot can be restored", async () => {
  const { place, folder, options, reader } = await prepareBackup(devnet(), letters);
  const first = await backupFolder(folder, options);
  const before = await readTree(folder);
  expect(await backupFolder(folder, options)).toMatchObject({ cid: first.cid, sent: 0, isUnchanged: true });
  await writeFile(join(folder, "a.txt"), "first, changed");
  await rename(join(folder, "b", "c.txt"), join(folder, "moved.txt"));
  await utimes(join(folder, "ü", "ß"), 1, 1);
  await rm(join(folder, "b", "d"), { recursive: true });
  await writeFile(join(folder, "new.txt"), "new");
  const second = await backupFolder(folder, options);
  expect(second).toMatchObject({ sent: 2, files: 5, isUnchanged: false });
  await restoreBackup(first.cid, join(place, "one"), reader);
  await restoreBackup(second.cid, join(place, "two"), reader);
  expect(await readTree(join(place, "one"))).toEqual(before);
  expect(await readTree(join(place, "two"))).toEqual(await readTree(folder));
});

test("a backup of files that were only moved sends none", async () => {
  const { place, folder, options, reader } = await prepareBackup(devnet(), letters);
  await backupFolder(folder, options);
  await rename(join(folder, "a.txt"), join(folder, "b", "moved.txt"));
  const { cid, ...moved } = await backupFolder(folder, options);
  expect(moved).toMatchObject({ sent: 0, files: 5, isUnchanged: false, skipped: [] });
  await restoreBackup(cid, join(place, "to"), reader);
  expect(await readTree(join(place, "to"))).toEqual(await readTree(folder));
});

test("neither names nor bytes of files leave the machine in clear, unless they are public", async () => {
  const { place, folder, options, reader } = await prepareBackup(devnet(), { "secret-name.txt": "secret bytes" });
  const bodies = await readFile(join(folder, "secret-name.txt"), "utf8");
  const { cid } = await backupFolder(folder, options);
  const seen = JSON.stringify(devnet().requests());
  expect(seen).not.toContain("secret-name");
  const state = { ...options, state: join(place, "public") };
  const shared = await backupFolder(folder, { ...state, public: true });
  expect(shared.cid).not.toBe(cid);
  expect((await failure(backupFolder(folder, { ...state, public: false }))).code).toBe("INVALID_OPTION");
  expect((await failure(backupFolder(folder, { ...options, public: true }))).code).toBe("INVALID_OPTION");
  await restoreBackup(shared.cid, join(place, "to"), reader);
  expect(await readFile(join(place, "to", "secret-name.txt"), "utf8")).toBe(bodies);
});

test("a backup of an empty folder is a snapshot, too", async () => {
  const { place, folder, options, reader } = await prepareBackup(devnet(), { x: "" });
  await rm(join(folder, "x"));
  const { cid, files } = await backupFolder(folder, options);
  expect(files).toBe(0);
  await restoreBackup(cid, join(place, "to"), reader);
  expect(await readTree(join(place, "to"))).toEqual({});
});
