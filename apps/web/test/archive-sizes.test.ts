import { expect, test } from "vitest";
import { createKit, type FolderFile } from "../../../src/index.ts";
import { optionsOf, toFiles } from "../../../test/folders/rig.ts";
import { devnetForTests } from "../../../test/support/devnet-wire.ts";
import { createArchive } from "../src/folder/archive.ts";
import { createArchivePaths } from "../src/folder/archive-paths.ts";
import { listEncryptedFolder } from "../src/folder/list-archive.ts";

const devnet = devnetForTests();

/** More than is read whole, and than a small file's download may have. */
const LARGE = 3 * 1024 * 1024;

async function saveAs(changeSize: (size: number) => number): Promise<number> {
  const kit = createKit(await optionsOf(devnet()));
  const { files } = await kit.uploadEncryptedFolder(toFiles({ "a.txt": "text", "b.bin": "b".repeat(LARGE) }));
  const listed = files.map((file): FolderFile => ({ ...file, size: changeSize(file.size) }));
  const { entries } = listEncryptedFolder(kit, { files: listed }, "");
  const { signal } = new AbortController();
  const archive = await createArchive(entries, createArchivePaths(), { signal, onProgress: () => undefined });
  return (await new Response(archive).arrayBuffer()).byteLength;
}

test("an archive has every file as large as its folder states", async () => {
  expect(await saveAs((size) => size)).toBeGreaterThan(LARGE);
});

test.each([
  ["no bytes", () => 0],
  ["a byte less", (size: number) => size - 1],
  ["a byte more", (size: number) => size + 1],
  ["a small size for a large file", (size: number) => Math.min(size, 4)],
])("a folder that states %s fails the archive", async (_, changeSize) => {
  await expect(saveAs(changeSize)).rejects.toThrow("The app refused this");
});

test("names are short enough for disks, keep their extension, and no character is cut", () => {
  const toPath = createArchivePaths();
  const name = `${"写".repeat(300)}.jpg`;
  const paths = [toPath([name]), toPath([name])];
  for (const path of paths) {
    expect(new TextEncoder().encode(path).length).toBeLessThanOrEqual(255 - ".zip".length);
    expect(path).toMatch(/^写+( \(2\))?\.jpg$/);
  }
  expect(new Set(paths).size).toBe(2);
});
