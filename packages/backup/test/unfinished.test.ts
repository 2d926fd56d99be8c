import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { devnetForTests } from "../../../test/support/devnet-wire.ts";
import { type BackupProgress, backupFolder, previewPrune, pruneBackups } from "../src/index.ts";
import { prepareBackup } from "./rig.ts";

// Backups that end before they have stored a snapshot.

const devnet = devnetForTests();

const DAY_MS = 86_400_000;

test("packs of a first backup that takes many nights are not marked as long as it goes on, up to 30 days", async () => {
  const { folder, options } = await prepareBackup(devnet(), { a: "one" });
  const start = Date.now();
  const setDay = (day: number) => vi.useFakeTimers({ toFake: ["Date"], now: start + day * DAY_MS });
  onTestFinished(() => void vi.useRealTimers());
  const onProgress = ({ sentBytes }: BackupProgress) => {
    if (sentBytes > 0) throw new Error("The morning has come");
  };
  const interrupt = () => expect(backupFolder(folder, { ...options, onProgress })).rejects.toThrow("morning");
  const marked = async () => (await previewPrune(options)).marked;
  await interrupt();
  setDay(4);
  await writeFile(join(folder, "b"), "two");
  await interrupt();
  expect(await pruneBackups(options)).toMatchObject({ kept: 2, marked: 0 });
  // Nobody continues it.
  setDay(8);
  expect(await marked()).toBe(2);
  setDay(31);
  await writeFile(join(folder, "c"), "three");
  await interrupt();
  expect(await marked()).toBe(1);
});
