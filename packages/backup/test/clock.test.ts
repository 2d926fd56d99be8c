import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { devnetForTests } from "../../../test/support/devnet-wire.ts";
import { failure } from "../../../test/support/failure.ts";
import { backupFolder, forgetSnapshots, listSnapshots, previewForget } from "../src/index.ts";
import { prepareBackup } from "./rig.ts";

// Clocks that are wrong.

const devnet = devnetForTests();

const DAY_MS = 86_400_000;

test("a backup made while the clock was years ahead neither moves later ones nor lets them be forgotten", async () => {
  const { folder, options } = await prepareBackup(devnet(), { a: "one" });
  const { state: _, ...account } = options;
  const now = Date.now();
  onTestFinished(() => void vi.useRealTimers());
  const backUpAt = async (time: number) => {
    vi.useFakeTimers({ toFake: ["Date"], now: time });
    await writeFile(join(folder, "a"), `at ${time}`);
    return backupFolder(folder, options);
  };
  const ahead = await backUpAt(now + 3_650 * DAY_MS);
  const real = [];
  for (const day of [0, 1, 2]) real.push(await backUpAt(now + day * DAY_MS));
  expect(real.map(({ createdAt }) => Math.floor((createdAt - now) / DAY_MS))).toEqual([0, 1, 2]);
  expect((await previewForget({ ...account, keep: { day: 14 } })).forgotten).toEqual([]);
  // No rule counts it, so it does not stand for those that a misspelt tag would keep.
  expect((await failure(forgetSnapshots({ ...account, keep: { tags: ["misspelt"] } }))).code).toBe("INVALID_OPTION");
  await forgetSnapshots({ ...account, keep: { last: 1 } });
  const { snapshots } = await listSnapshots(account);
  expect(snapshots.map(({ cid }) => cid)).toEqual([ahead.cid, real.at(-1)?.cid]);
});
