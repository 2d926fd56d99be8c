import { execFileSync } from "node:child_process";
import { mkdir, readdir, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { createRecoveryIdentity, openJournal } from "../../src/index.ts";
import { createEntries } from "../../src/journal/entries.ts";
import { openJournalKey } from "../../src/journal/journal-key.ts";
import { journalStore } from "../../src/platform/node/journal-folder.ts";
import { takeLock } from "../../src/platform/node/journal-lock.ts";
import { failure } from "../support/failure.ts";
import { scratch } from "../support/files.ts";

/** The entries of the journal in a folder, as a process opens them. */
async function openEntries(folder: string) {
  const store = await journalStore({ folder });
  return createEntries(store, await openJournalKey(store));
}

/** Creates a journal with one entry that nobody works on; returns its folder and the id of the entry. */
async function createJournal() {
  const folder = await scratch();
  const entry = await (await openEntries(folder)).start("test", { secret: 42 });
  await entry.release();
  return { folder, id: entry.id };
}

const readStates = async (folder: string) => (await openEntries(folder)).list();

const twins = ["journal.json", "journal.json.copy", "journal.key", "journal.key.copy"];

const readTwins = (folder: string) => Promise.all(twins.map((name) => readFile(join(folder, name), "latin1")));

const makePipe = (path: string) => execFileSync("mkfifo", [path]);

const damages: [string, (path: string) => Promise<unknown>][] = [
  ["missing", (path) => rm(path)],
  ["empty", (path) => truncate(path)],
  ["cut", (path) => truncate(path, 20)],
  ["of zeros", async (path) => writeFile(path, Buffer.alloc((await readFile(path)).length))],
  ["changed in one bit", (path) => flipBit(path)],
];

async function flipBit(path: string): Promise<void> {
  const bytes = await readFile(path);
  bytes[10] = (bytes[10] ?? 0) ^ 1;
  await writeFile(path, bytes);
}

test.each(damages.flatMap(([name, damage]) => twins.map((file) => [file, name, damage] as const)))(
  "a journal whose %s is %s is read by its other copy, and both are whole again",
  async (file, _, damage) => {
    const { folder } = await createJournal();
    const before = await readTwins(folder);
    await damage(join(folder, file));
    expect(await readStates(folder)).toMatchObject([{ state: { secret: 42 } }]);
    expect(await readTwins(folder)).toEqual(before);
  },
);

test("a journal without copies, as they were made before, is opened and gets them", async () => {
  const { folder } = await createJournal();
  const before = await readTwins(folder);
  for (const name of twins.filter((each) => each.endsWith(".copy"))) await rm(join(folder, name));
  expect(await readStates(folder)).toMatchObject([{ state: { secret: 42 } }]);
  expect(await readTwins(folder)).toEqual(before);
});

test("a slot that was removed is in neither copy, and does not come back when one is damaged", async () => {
  const { folder } = await createJournal();
  const { identity, recipient } = await createRecoveryIdentity();
  const journal = await openJournal({ folder });
  const [machine] = await journal.slots();
  await journal.addSlot({ recipient });
  await journal.removeSlot(machine?.id ?? "");
  expect((await readdir(folder)).filter((name) => name.startsWith("journal.key"))).toEqual([]);
  for (const file of twins.slice(0, 2)) {
    expect(await readFile(join(folder, file), "latin1")).not.toContain(machine?.id);
    await rm(join(folder, file));
    const reopened = await openJournal({ folder, unlock: { identity } });
    expect(await reopened.slots()).toMatchObject([{ kind: "recipient" }]);
  }
});

test("files of other programs lock neither an entry nor the journal", async () => {
  const { folder, id } = await createJournal();
  const ends = ["1 (conflicted copy)", "1~", "1.bak", "1.sync-conflict", "Infinity", "-1", "01", "", "9".repeat(17)];
  const [held] = (await readdir(folder)).filter((name) => name.startsWith(`${id}.lock.`));
  const text = JSON.stringify({ ...JSON.parse(await readFile(join(folder, held ?? ""), "utf8")), isReleased: false });
  for (const name of [id, "journal"]) {
    for (const end of ends) await writeFile(join(folder, `${name}.lock.${end}`), text);
    await mkdir(join(folder, `${name}.lock.7`));
  }
  const journal = await openJournal({ folder });
  expect(await journal.list()).toEqual([expect.not.objectContaining({ worker: expect.anything() })]);
  await journal.addSlot({ passphrase: "correct horse" });
  await journal.discard(id);
  expect(await journal.list()).toEqual([]);
});

test.skipIf(process.platform === "win32")("what is no file is refused without waiting", async () => {
  const { folder, id } = await createJournal();
  const odd = "0".repeat(32);
  for (const make of [makePipe, (path: string) => mkdir(path)]) {
    await make(join(folder, `${odd}.entry`));
    const entries = await openEntries(folder);
    expect(await entries.list()).toMatchObject([{ id }, { id: odd, error: { code: "SOURCE_UNREADABLE" } }]);
    expect(await failure(entries.acquire(odd))).toMatchObject({ code: "SOURCE_UNREADABLE" });
    expect(await failure(entries.discard(odd))).toMatchObject({ code: "SOURCE_UNREADABLE" });
    await rm(join(folder, `${odd}.entry`), { recursive: true });
  }
  for (const name of ["journal.key", "journal.json"]) {
    for (const each of [name, `${name}.copy`]) {
      await rm(join(folder, each));
      makePipe(join(folder, each));
    }
    expect(await failure(openEntries(folder))).toMatchObject({ code: "SOURCE_UNREADABLE" });
  }
});

test("who waits for another call to change a journal gives up in the end", async () => {
  const { folder } = await createJournal();
  const journal = await openJournal({ folder });
  const lock = await takeLock(folder, "journal");
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
  let isOver = false;
  const adding = failure(journal.addSlot({ passphrase: "correct horse" })).finally(() => {
    isOver = true;
  });
  while (!isOver) {
    vi.advanceTimersByTime(1_000);
    await new Promise(setImmediate);
  }
  expect(await adding).toMatchObject({ code: "JOURNAL_BUSY", details: { place: folder } });
  await lock?.release();
  vi.useRealTimers();
  expect(await journal.addSlot({ passphrase: "correct horse" })).toMatchObject({ kind: "passphrase" });
});
