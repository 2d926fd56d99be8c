import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { createEntries } from "../../src/journal/entries.ts";
import { openJournalKey } from "../../src/journal/journal-key.ts";
import { journalStore } from "../../src/platform/node/journal-folder.ts";
import { scratch } from "../support/files.ts";
import { type DiskImage, watchDisk, writeImage } from "../support/forgetful-fs.ts";

vi.mock("node:fs/promises", async () => (await import("../support/forgetful-fs.ts")).forgetfulFs);

/** The entries of the journal in a folder, as a process opens them. */
async function openEntries(folder: string) {
  const store = await journalStore({ folder });
  return createEntries(store, await openJournalKey(store));
}

/** Reads what is left of the journal in the folder `journal` of a disk after a power cut. */
async function readLeft(image: DiskImage) {
  const entries = await openEntries(join(await writeImage(image, await scratch()), "journal"));
  return entries.list();
}

test("an entry survives a power cut from its start on, with every change that was waited for", async () => {
  const root = await scratch();
  const disk = watchDisk(root);
  const entries = await openEntries(join(root, "journal"));
  const entry = await entries.start("test", { n: 1 });
  expect(await readLeft(disk.image())).toMatchObject([{ id: entry.id, state: { n: 1 } }]);
  await entry.update({ n: 2 });
  expect(await readLeft(disk.image())).toMatchObject([{ id: entry.id, state: { n: 2 } }]);
  const images = await disk.cutAnywhere(() => entry.update({ n: 3 }));
  expect(images.length).toBeGreaterThan(2);
  const seen = new Set<number>();
  for (const image of images) {
    const [left] = await readLeft(image);
    expect(left).toMatchObject({ id: entry.id, state: { n: expect.any(Number) } });
    seen.add((left as { state: { n: number } }).state.n);
  }
  expect([...seen].sort()).toEqual([2, 3]);
});
