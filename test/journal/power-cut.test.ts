import { type FileHandle, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { createRecoveryIdentity, openJournal } from "../../src/index.ts";
import { createEntries } from "../../src/journal/entries.ts";
import { openJournalKey } from "../../src/journal/journal-key.ts";
import type { JournalUnlock } from "../../src/journal/slots/slot.ts";
import { createSyncer } from "../../src/platform/node/durable-files.ts";
import { journalStore } from "../../src/platform/node/journal-folder.ts";
import { failure } from "../support/failure.ts";
import { scratch } from "../support/files.ts";
import { type DiskImage, watchDisk, writeImage } from "../support/forgetful-fs.ts";

vi.mock("node:fs/promises", async () => (await import("../support/forgetful-fs.ts")).forgetfulFs);

/** The entries of the journal in a folder, as a process opens them. */
async function openEntries(folder: string, unlock?: JournalUnlock) {
  const store = await journalStore({ folder });
  return createEntries(store, await openJournalKey(store, unlock));
}

/** Writes what is left of the folder `journal` of a disk after a power cut; returns the folder. */
async function writeLeft(image: DiskImage): Promise<string> {
  // The process that had the locks ended with the power.
  const files = new Map([...image].filter(([path]) => !path.includes(".lock.")));
  return join(await writeImage(files, await scratch()), "journal");
}

/** Reads the entries that are left after a power cut. */
async function readLeft(image: DiskImage, unlock?: JournalUnlock) {
  return (await openEntries(await writeLeft(image), unlock)).list();
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

test("a new journal survives a power cut once it is open, and one that does not is made again", async () => {
  const root = await scratch();
  const disk = watchDisk(root);
  const folder = join(root, "journal");
  for (const image of await disk.cutAnywhere(() => openEntries(folder))) expect(await readLeft(image)).toEqual([]);
  const images = [disk.image(), disk.image({ data: true })].map((image) => [...image.keys()].sort());
  const twins = ["journal.json", "journal.json.copy", "journal.key", "journal.key.copy"].map((name) =>
    join("journal", name),
  );
  for (const names of images) expect(names).toEqual(expect.arrayContaining(twins));
});

test("a power cut while slots are changed leaves a journal that opens by the old slots or the new ones", async () => {
  const root = await scratch();
  const folder = join(root, "journal");
  const { identity, recipient } = await createRecoveryIdentity();
  const journal = await openJournal({ folder });
  const entry = await (await openEntries(folder)).start("test", { n: 1 });
  await entry.release();
  const [machine] = await journal.slots();
  const disk = watchDisk(root);
  const adding = await disk.cutAnywhere(() => journal.addSlot({ recipient }));
  for (const image of adding) expect(await readLeft(image)).toMatchObject([{ state: { n: 1 } }]);
  const removing = await disk.cutAnywhere(() => journal.removeSlot(machine?.id ?? ""));
  for (const image of removing) expect(await readLeft(image, { identity })).toMatchObject([{ state: { n: 1 } }]);
  const left = disk.image();
  expect([...left.keys()].filter((name) => name.includes("journal.key"))).toEqual([]);
  expect(Buffer.concat([...left.values()]).includes(machine?.id ?? "")).toBe(false);
});

test("a key file that was erased before a power cut, and is back after it, is never the key of a new slot", async () => {
  const root = await scratch();
  const folder = join(root, "journal");
  const { identity, recipient } = await createRecoveryIdentity();
  const journal = await openJournal({ folder });
  await journal.addSlot({ recipient });
  const [machine] = await journal.slots();
  const disk = watchDisk(root);
  let areErased = 0;
  for (const image of await disk.cutAnywhere(() => journal.removeSlot(machine?.id ?? ""))) {
    const left = await writeLeft(image);
    const reopened = await openJournal({ folder: left, unlock: { identity } });
    if ((await reopened.slots()).length > 1) continue;
    if (String(image.get("journal/journal.key")).includes("erased")) areErased++;
    await reopened.addSlot({ machine: true });
    expect(await (await openJournal({ folder: left })).slots()).toHaveLength(2);
    for (const name of ["journal.key", "journal.key.copy"]) {
      expect((await readFile(join(left, name), "latin1")).includes("erased")).toBe(false);
    }
  }
  expect(areErased).toBeGreaterThan(0);
});

test("a power cut while an entry is completed leaves it as it was, or nothing of it", async () => {
  const root = await scratch();
  const entries = await openEntries(join(root, "journal"));
  const entry = await entries.start("test", { n: 1 });
  const disk = watchDisk(root);
  const images = await disk.cutAnywhere(() => entry.complete());
  // Its bytes are overwritten on the disk, and it has its name still.
  expect(images.some((image) => [...image.values()].some((bytes) => bytes.includes("keeplight erased")))).toBe(true);
  const left = await Promise.all(images.map((image) => readLeft(image)));
  for (const listed of left) if (listed.length > 0) expect(listed).toMatchObject([{ state: { n: 1 } }]);
  expect(new Set(left.map(({ length }) => length))).toEqual(new Set([0, 1]));
});

test("an entry that was overwritten in part is over, and the next process removes it", async () => {
  const folder = join(await scratch(), "journal");
  const entries = await openEntries(folder);
  const entry = await entries.start("test", { text: "x".repeat(2_000) });
  await entry.release();
  const path = join(folder, `${entry.id}.entry`);
  const bytes = await readFile(path);
  bytes.write("keeplight erased".repeat(32), 512);
  await writeFile(path, bytes);
  expect(await entries.list()).toEqual([]);
  expect(await failure(entries.acquire(entry.id))).toMatchObject({ code: "JOURNAL_ENTRY_UNKNOWN" });
  await openEntries(folder);
  expect((await readdir(folder)).filter((name) => name.startsWith(entry.id))).toEqual([]);
});

test("a journal on a read-only medium is listed, and refuses changes", async () => {
  const root = await scratch();
  const folder = join(root, "journal");
  const entry = await (await openEntries(folder)).start("test", { n: 1 });
  await entry.release();
  await rm(join(folder, "journal.key"));
  watchDisk(root).makeReadOnly();
  const entries = await openEntries(folder);
  expect(await entries.list()).toMatchObject([{ id: entry.id, state: { n: 1 } }]);
  expect((await (await openJournal({ folder })).slots()).map(({ kind }) => kind)).toEqual(["machine"]);
  const readOnly = { code: "CANNOT_WRITE", details: { code: "EROFS" } };
  expect(await failure(entries.acquire(entry.id))).toMatchObject(readOnly);
  expect(await failure(entries.start("test", {}))).toMatchObject(readOnly);
  expect(await failure(openEntries(join(root, "new")))).toMatchObject(readOnly);
});

test("a file whose earlier bytes did not reach the disk is not synced, though the last sync succeeds", async () => {
  const failed = Object.assign(new Error("EIO: i/o error"), { code: "EIO" });
  // The system reports such a failure to one call only.
  const handle = { datasync: () => Promise.reject(failed), sync: async () => undefined };
  const syncer = createSyncer(handle as unknown as FileHandle);
  syncer.advance(64 * 1024 ** 2);
  expect(await syncer.finish().catch((error: unknown) => error)).toBe(failed);
});
