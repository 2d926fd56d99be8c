import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { devnetForTests } from "../../../../test/support/devnet-wire.ts";
import { scratch } from "../../../../test/support/files.ts";
import { watchDisk } from "../../../../test/support/forgetful-fs.ts";
import { backupFolder, restoreBackup } from "../../src/backup/index.ts";
import { prepareBackup } from "./rig.ts";

vi.mock("node:fs/promises", async () => (await import("../../../../test/support/forgetful-fs.ts")).forgetfulFs);

const devnet = devnetForTests();

const hash = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

test("a restored file that has its name after a power cut has its bytes", async () => {
  const files = { a: "one", "b/c": "two".repeat(100_000) };
  const { folder, options, reader } = await prepareBackup(devnet(), files);
  const { cid } = await backupFolder(folder, options);
  const to = await scratch();
  const images = await watchDisk(to).cutAnywhere(() => restoreBackup(cid, to, reader));
  const seen = new Set<string>();
  for (const path of Object.keys(files)) {
    const expected = hash(await readFile(join(folder, path)));
    for (const image of images) {
      const left = image.get(path);
      if (left === undefined) continue;
      seen.add(path);
      expect(hash(left)).toBe(expected);
    }
  }
  expect([...seen].sort()).toEqual(Object.keys(files));
});
