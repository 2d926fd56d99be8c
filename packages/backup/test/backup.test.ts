import { chmod, link, lstat, mkdir, open, rename, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { devnetForTests } from "../../../test/support/devnet-wire.ts";
import { type BackupProgress, backupFolder, restoreBackup } from "../src/index.ts";
import { prepareBackup, readTree } from "./rig.ts";

const devnet = devnetForTests();

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
  await link(join(folder, "a.txt"), join(folder, "b", "other name"));
  await chmod(join(folder, "a.txt"), 0o640);
  await chmod(join(folder, "b", "c.txt"), 0o4755);
  await chmod(join(folder, "ü"), 0o1777);
  const sparse = await open(join(folder, "sparse"), "w");
  await sparse.write("start", 0);
  await sparse.write("end", 9_000_000);
  await sparse.close();
  await utimes(join(folder, "a.txt"), 1_000_000, 1_000_000.25);
  await utimes(join(folder, "b"), 2_000_000, 2_000_000);
  const reported: BackupProgress[] = [];
  const onProgress = (progress: BackupProgress) => void reported.push(progress);
  const backup = await backupFolder(folder, { ...options, onProgress });
  expect(backup).toMatchObject({ files: 6, skipped: [], isUnchanged: false });
  const { files, bytes, sentBytes } = backup;
  expect(reported.map((each) => each.files)).toEqual([1, 2, 3, 4, 5, 6, 6]);
  expect(reported.at(-1)).toEqual({ files, bytes, sentBytes });
  const to = join(place, "restored", "deep");
  const restored = await restoreBackup(backup.cid, to, reader);
  expect(restored).toEqual({ files: 6, bytes: backup.bytes, restored: 6, skipped: [] });
  expect(await readTree(to)).toEqual(await readTree(folder));
  expect((await lstat(join(to, "sparse"))).blocks).toBeLessThan(100);
  expect(await restoreBackup(backup.cid, to, reader)).toMatchObject({ restored: 0 });
});

test("only what has changed is sent, also by a machine that has lost its state", async () => {
  const { place, folder, options, reader } = await prepareBackup(devnet(), letters);
  const first = await backupFolder(folder, options);
  const before = await readTree(folder);
  expect(await backupFolder(folder, options)).toMatchObject({ cid: first.cid, sentBytes: 0, isUnchanged: true });
  await rm(options.state, { recursive: true });
  expect(await backupFolder(folder, options)).toMatchObject({ sentBytes: 0, isUnchanged: false });
  await writeFile(join(folder, "a.txt"), "first, changed");
  await rename(join(folder, "b", "c.txt"), join(folder, "moved.txt"));
  await rm(join(folder, "b", "d"), { recursive: true });
  const second = await backupFolder(folder, options);
  expect(second.sentBytes).toBeLessThan(2_000);
  await restoreBackup(first.cid, join(place, "one"), reader);
  await restoreBackup(second.cid, join(place, "two"), reader);
  expect(await readTree(join(place, "one"))).toEqual(before);
  expect(await readTree(join(place, "two"))).toEqual(await readTree(folder));
});

test("a path of a snapshot is restored alone, with a file that has its first name elsewhere", async () => {
  const { place, folder, options, reader } = await prepareBackup(devnet(), letters);
  await link(join(folder, "a.txt"), join(folder, "b", "x"));
  await link(join(folder, "a.txt"), join(folder, "b", "y"));
  const { cid } = await backupFolder(folder, options);
  const to = join(place, "to");
  expect(await restoreBackup(cid, to, { ...reader, path: "b/" })).toMatchObject({ files: 3, restored: 3 });
  const { "a.txt": _, ...rest } = await readTree(folder);
  const expected = Object.entries(rest).filter(([path]) => path === "b" || path.startsWith("b/"));
  const renamed = Object.fromEntries(expected.map(([path, facts]) => [path, facts.replace(" a.txt ", " b/x ")]));
  expect(await readTree(to)).toEqual(renamed);
});

test("one byte more sends one chunk, and neither names nor bytes leave the machine in clear", async () => {
  const bytes = Buffer.alloc(4 * 1024 * 1024);
  for (let at = 0, word = 1; at < bytes.length; at += 4) {
    word = (Math.imul(word ^ (word >>> 15), 0x2c1b3c6d) + at) | 0;
    bytes.writeInt32LE(word, at);
  }
  const { folder, options } = await prepareBackup(devnet(), { "secret-name": bytes });
  const first = await backupFolder(folder, options);
  expect(first.sentBytes).toBeGreaterThan(bytes.length);
  await writeFile(join(folder, "secret-name"), Buffer.concat([bytes, Buffer.from("!")]));
  const second = await backupFolder(folder, options);
  expect(second.sentBytes).toBeLessThan(2.1 * 1024 * 1024);
  expect(JSON.stringify(devnet().requests())).not.toContain("secret-name");
});
