import { writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { listFiles } from "../../../src/index.ts";
import { devnetForTests } from "../../../test/support/devnet-wire.ts";
import { failure } from "../../../test/support/failure.ts";
import { backupFolder, forgetSnapshots, listSnapshots, pruneBackups } from "../src/index.ts";
import { prepareBackup } from "./rig.ts";

const devnet = devnetForTests();

test("backups are stored in their class, and deleted only by it", async () => {
  const { folder, options } = await prepareBackup(devnet(), { a: "one" });
  const { apiKey, endpoints } = options;
  const { state: _, ...account } = options;
  const countStored = async () => (await listFiles({ apiKey, endpoints, storage: "walrus" })).fileList.length;
  for (const text of ["1", "2"]) {
    await writeFile(`${folder}/a`, text);
    await backupFolder(folder, { ...options, storage: "walrus" });
  }
  // The key, and a pack and a snapshot each.
  expect(await countStored()).toBe(5);
  const refused = { code: "INVALID_OPTION", details: { option: "storage" } };
  expect(await failure(forgetSnapshots({ ...account, keep: { last: 1 } }))).toMatchObject(refused);
  expect((await listSnapshots(account)).snapshots).toHaveLength(2);
  const walrus = { storage: "walrus" } as const;
  expect((await forgetSnapshots({ ...account, ...walrus, keep: { last: 1 } })).forgotten).toHaveLength(1);
  expect(await pruneBackups({ ...options, ...walrus, graceMs: 0 })).toMatchObject({ marked: 1, deleted: 0 });
  expect(await failure(pruneBackups({ ...options, graceMs: 0 }))).toMatchObject(refused);
  expect(await pruneBackups({ ...options, ...walrus, graceMs: 0 })).toMatchObject({ marked: 0, deleted: 1 });
  expect(await countStored()).toBe(3);
});
