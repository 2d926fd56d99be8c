import { join } from "node:path";
import { expect, test } from "vitest";
import { devnetForTests } from "../../../test/support/devnet-wire.ts";
import { backupFolder, restoreBackup } from "../src/index.ts";
import { prepareBackup, readTree } from "./rig.ts";

const devnet = devnetForTests();

test("a first backup is stored while a key node is down, and restored while another one is", async () => {
  const files = { "one.txt": "first", "more/two.txt": "second" };
  const { place, folder, reader, options } = await prepareBackup(devnet(), files);
  await devnet().stopNode(2);
  const { cid } = await backupFolder(folder, options);
  await devnet().startNode(2);
  await devnet().stopNode(5);
  await restoreBackup(cid, join(place, "restored"), reader);
  expect(await readTree(join(place, "restored"))).toEqual(await readTree(folder));
  await devnet().startNode(5);
});
