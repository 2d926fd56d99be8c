import type * as fs from "node:fs/promises";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { devnetForTests } from "../../../test/support/devnet-wire.ts";
import { failure } from "../../../test/support/failure.ts";
import { backupFolder, restoreBackup } from "../src/index.ts";
import { prepareBackup } from "./rig.ts";

const disk = vi.hoisted(() => ({ root: "\0" }));

// A file system on which case does not count, and whose renames take a while, below one folder.
vi.mock("node:fs/promises", async (importActual) => {
  const actual = await importActual<typeof fs>();
  const fold = <T>(value: T) =>
    typeof value === "string" && value.startsWith(disk.root)
      ? disk.root + value.slice(disk.root.length).toLowerCase()
      : value;
  const folded = Object.entries(actual).map(([name, call]) => {
    if (typeof call !== "function") return [name, call];
    const anyCall = call as (...parameters: unknown[]) => unknown;
    return [name, (...parameters: unknown[]) => anyCall(...parameters.map(fold))];
  });
  const rename: typeof actual.rename = async (from, to) => {
    if (String(to).startsWith(disk.root)) await new Promise((resolve) => setTimeout(resolve, 500));
    await actual.rename(fold(from), fold(to));
  };
  return { ...Object.fromEntries(folded), rename };
});

const devnet = devnetForTests();

test("of two names that differ by case, where that does not count, none takes the other's place unnoticed", async () => {
  const { place, folder, options, reader } = await prepareBackup(devnet(), { Letter: "one", letter: "two" });
  const { cid } = await backupFolder(folder, options);
  disk.root = join(place, "to");
  const error = await failure(restoreBackup(cid, disk.root, reader));
  expect(error.code).toBe("FILE_EXISTS");
  expect(await readdir(disk.root)).toEqual(["letter"]);
  expect(["one", "two"]).toContain(await readFile(join(disk.root, "letter"), "utf8"));
});
