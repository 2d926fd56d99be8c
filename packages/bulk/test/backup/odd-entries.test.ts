import { chmod, readdir, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { iterateFiles, listFolder } from "../../../../src/index.ts";
import { createTemporaryPath } from "../../../../src/platform/node/temporary-file.ts";
import { devnetForTests } from "../../../../test/support/devnet-wire.ts";
import { failure } from "../../../../test/support/failure.ts";
import { backupFolder, restoreBackup } from "../../src/backup/index.ts";
import { prepareBackup, readTree } from "./rig.ts";

const devnet = devnetForTests();

afterEach(() => devnet().faults.clear());

test("a folder is restored however deep it is, with times before 1970", async () => {
  const { place, folder, options, reader } = await prepareBackup(devnet(), {
    [`${"d/".repeat(150)}f`]: "deep",
    z: "old",
  });
  await utimes(join(folder, "z"), new Date(-5_000), new Date(-5_000));
  const { cid } = await backupFolder(folder, options);
  await restoreBackup(cid, join(place, "to"), reader);
  expect(await readTree(join(place, "to"))).toEqual(await readTree(folder));
  expect((await stat(join(place, "to", "z"))).mtimeMs).toBe(-5_000);
});

test.skipIf(process.platform !== "linux")("names and targets that are not UTF-8 are listed as skipped", async () => {
  const { place, folder, options, reader } = await prepareBackup(devnet(), { "caf\uFFFD.txt": "one", z: "last" });
  const inFolder = (name: string) => Buffer.from(join(folder, name), "latin1");
  await writeFile(inFolder("caf\xe9.txt"), "another");
  await writeFile(inFolder("\xe9"), "alone");
  await symlink(Buffer.from("caf\xe9.txt", "latin1"), join(folder, "link"));
  const { cid, skipped } = await backupFolder(folder, options);
  expect(skipped.map(({ path }) => path).sort()).toEqual(["caf\uFFFD.txt", "link", "\uFFFD"]);
  await restoreBackup(cid, join(place, "to"), reader);
  expect(await readdir(join(place, "to"))).toEqual(["z"]);
});

test("temporary files of this kit are no part of a backup", async () => {
  const { folder, options } = await prepareBackup(devnet(), { a: "a" });
  await writeFile(createTemporaryPath(folder), "half of a file");
  expect(await backupFolder(folder, options)).toMatchObject({ files: 1, skipped: [] });
});

test("files are stored under numbers, whatever their names are", async () => {
  const { folder, options } = await prepareBackup(devnet(), {
    a: "1",
    ["b".repeat(50)]: "2",
    [`${"c".repeat(200)}`]: "3",
  });
  const { apiKey, endpoints } = options;
  await backupFolder(folder, options);
  const names: string[] = [];
  for await (const { cid, fileName } of iterateFiles({ apiKey, endpoints })) {
    if (!/^keeplight-backup-[0-9a-f]{16}-/.test(fileName ?? "")) continue;
    for await (const { name } of listFolder(cid, { endpoints })) names.push(name);
  }
  expect(names.filter((name) => !/^\d$/.test(name))).toEqual([]);
  expect(names).toContain("2");
});

test("files that cannot be fetched do not stop the others", async () => {
  const { place, folder, options, reader } = await prepareBackup(devnet(), { a: "a", b: "b", c: "c", "d/e": "e" });
  await chmod(join(folder, "d"), 0o555);
  const { cid } = await backupFolder(folder, { ...options, workers: 1 });
  let isFirst = true;
  const onProgress = () => {
    if (isFirst) devnet().faults.add({ service: "gateway", action: { kind: "respond", status: 404 }, times: 8 });
    isFirst = false;
  };
  const failed = await failure(restoreBackup(cid, join(place, "to"), { ...reader, workers: 1, onProgress }));
  expect(failed.code).toBe("RESTORE_UNFINISHED");
  // It becomes read-only once everything is in it.
  expect((await stat(join(place, "to", "d"))).mode & 0o200).toBe(0o200);
  devnet().faults.clear();
  await restoreBackup(cid, join(place, "to"), reader);
  expect(await readTree(join(place, "to"))).toEqual(await readTree(folder));
  for (const root of [folder, join(place, "to")]) await chmod(join(root, "d"), 0o755);
});

test("a restore that ends leaves nothing in the folder for temporary files", async () => {
  const { place, folder, options, reader } = await prepareBackup(devnet(), { a: "a" });
  const { cid } = await backupFolder(folder, options);
  const listOwn = async () =>
    (await readdir(tmpdir())).filter((name) => name.startsWith(".keeplight-") && name.includes(`-${process.pid}-`));
  await restoreBackup(cid, join(place, "to"), reader);
  expect(await listOwn()).toEqual([]);
});
