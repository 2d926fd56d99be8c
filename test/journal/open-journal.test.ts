import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { openJournal } from "../../src/index.ts";
import { createEntries } from "../../src/journal/entries.ts";
import { openJournalKey } from "../../src/journal/journal-key.ts";
import { journalStore } from "../../src/platform/node/journal-folder.ts";
import { getHostId, getStartTime } from "../../src/platform/node/temporary-file.ts";
import { failure } from "../support/failure.ts";
import { scratch } from "../support/files.ts";
import { cid } from "../support/fixtures.ts";
import { watchLeaks } from "../support/leaks.ts";

const SECRET = "5ec2e7".repeat(10);

/** The entries of the journal in a folder, as a process opens them. */
async function openEntries(folder: string) {
  const store = await journalStore({ folder });
  return createEntries(store, await openJournalKey(store));
}

/** Removes a file of a journal and its copy. */
async function removeTwins(folder: string, name: string): Promise<void> {
  for (const each of [name, `${name}.copy`]) await rm(join(folder, each));
}

const pathOfEntry = (folder: string, id: string) => join(folder, `${id}.entry`);

test("a journal that many open at once for the first time has one key", async () => {
  const folder = join(await scratch(), "a", "journal");
  const opened = await Promise.all(Array.from({ length: 8 }, () => openEntries(folder)));
  for (const entries of opened) await (await entries.start("test", { secret: SECRET })).release();
  const listed = await openEntries(folder).then((entries) => entries.list());
  expect(listed).toHaveLength(8);
  expect(listed).toEqual(listed.map(() => expect.objectContaining({ kind: "test", state: { secret: SECRET } })));
});

test("another copy of this package in the process uses a journal that this one has opened", async () => {
  const journal = await openJournal({ folder: await scratch() });
  vi.resetModules();
  const other: typeof import("../../src/index.ts") = await import("../../src/index.ts");
  expect(other.openJournal).not.toBe(openJournal);
  const owner = { address: `0x${"a".repeat(40)}`, authToken: "jwt:owner" };
  const nowhere = { endpoints: { keyNodes: "http://127.0.0.1:1" }, attempts: 1, pauseMs: 0 };
  const error = await failure(other.kavachShare(cid, { ...owner, ...nowhere, shareTo: owner.address, journal }));
  expect(await journal.list()).toMatchObject([{ kind: "share", cids: [cid] }]);
  expect(error).toMatchObject({ operationId: (await journal.list())[0]?.id });
});

test("what is on the disk is readable for its owner only, and contains neither names nor secrets", async () => {
  const folder = join(await scratch(), "journal");
  const entries = await openEntries(folder);
  await entries.start("upload", { name: "letter to Alice.txt", masterKey: SECRET });
  const names = await readdir(folder);
  expect(names.length).toBeGreaterThanOrEqual(5);
  for (const name of names) {
    const bytes = await readFile(join(folder, name));
    for (const text of ["Alice", SECRET, "masterKey", "upload"]) expect(bytes.includes(text), name).toBe(false);
    expect(bytes.includes(Buffer.from(SECRET, "hex")), name).toBe(false);
    if (process.platform !== "win32") expect((await stat(join(folder, name))).mode & 0o777, name).toBe(0o600);
  }
  if (process.platform !== "win32") expect((await stat(folder)).mode & 0o777).toBe(0o700);
});

test.skipIf(process.platform === "win32")("a key file that others can read is refused", async () => {
  const folder = await scratch();
  await openJournal({ folder });
  const path = join(folder, "journal.key");
  await chmod(path, 0o640);
  const error = await failure(openJournal({ folder }));
  expect(error).toMatchObject({ code: "JOURNAL_KEY_EXPOSED", details: { path, mode: "640" } });
  expect(error.message).toContain(`chmod 600 ${path}`);
  await chmod(path, 0o600);
  await openJournal({ folder });
});

test("a folder that cannot be made, or written to, is a typed error", async () => {
  const folder = await scratch();
  await writeFile(join(folder, "file"), "");
  expect(await failure(openJournal({ folder: join(folder, "file") }))).toMatchObject({ code: "CANNOT_WRITE" });
  expect(await failure(openJournal({ folder: join(folder, "file", "journal") }))).toMatchObject({
    code: "CANNOT_WRITE",
    details: { code: "ENOTDIR" },
  });
});

test("an operation that cannot be recorded is a typed error", async () => {
  const folder = await scratch();
  const entries = await openEntries(folder);
  const entry = await entries.start("test", { a: 1 });
  // A folder in the place of the file: even the system's administrator cannot replace it.
  await rm(pathOfEntry(folder, entry.id));
  await mkdir(pathOfEntry(folder, entry.id));
  expect(await failure(entry.update({ a: 2 }))).toMatchObject({ code: "CANNOT_WRITE", details: { path: folder } });
});

test.each([
  ["no journal.key", "journal.key", undefined, "JOURNAL_KEY_MISSING"],
  ["a truncated journal.key", "journal.key", "short", "JOURNAL_DAMAGED"],
  ["another journal.key", "journal.key", "k".repeat(32), "JOURNAL_DAMAGED"],
  ["a journal.json that is no JSON", "journal.json", "{", "JOURNAL_DAMAGED"],
  ["a journal.json of another version", "journal.json", '{"version":2}', "JOURNAL_DAMAGED"],
  [
    "slots that this machine cannot open",
    "journal.json",
    '{"version":1,"id":"1","slots":[{"id":"1","kind":"other","wrapped":""}]}',
    "JOURNAL_LOCKED",
  ],
])("a journal with %s, and no copy of it, cannot be opened", async (_, name, content, code) => {
  const folder = await scratch();
  await openJournal({ folder });
  await removeTwins(folder, name);
  if (content !== undefined) await writeFile(join(folder, name), content, { mode: 0o600 });
  expect(await failure(openJournal({ folder }))).toMatchObject({ code });
});

test("a journal whose key file is gone says what is missing, what that means and what to do", async () => {
  const folder = await scratch();
  const journal = await openJournal({ folder });
  await journal.addSlot({ passphrase: "correct horse" });
  const path = join(folder, "journal.key");
  const kept = await readFile(path);
  await removeTwins(folder, "journal.key");
  const error = await failure(openJournal({ folder }));
  expect(error).toMatchObject({ code: "JOURNAL_KEY_MISSING", details: { place: folder, key: path } });
  expect(error.message).toMatch(
    /key is missing: .*journal\.key\. Nothing .* can be read without it: put the file back/,
  );
  // Each of the ways out that it names.
  expect(await (await openJournal({ folder, unlock: { passphrase: "correct horse" } })).list()).toEqual([]);
  await writeFile(path, kept, { mode: 0o600 });
  expect(await (await openJournal({ folder })).list()).toEqual([]);
  await removeTwins(folder, "journal.key");
  await rename(folder, `${folder}-old`);
  expect(await (await openJournal({ folder })).list()).toEqual([]);
  await rm(`${folder}-old`, { recursive: true });
});

test("an entry that was modified, or moved to another id, is listed as unreadable and can only be discarded", async () => {
  const folder = await scratch();
  const entries = await openEntries(folder);
  const [first, second] = [await entries.start("test", { n: 1 }), await entries.start("test", { n: 2 })];
  await first.release();
  await second.release();
  const good = await readFile(pathOfEntry(folder, second.id));
  const flipped = Buffer.from(good);
  flipped[40] = (flipped[40] ?? 0) ^ 1;
  for (const bytes of [flipped, good, Buffer.alloc(0), good.subarray(0, 10)]) {
    await writeFile(pathOfEntry(folder, first.id), bytes);
    expect(await entries.list()).toEqual([
      expect.objectContaining({ id: second.id, state: { n: 2 } }),
      { id: first.id, error: expect.objectContaining({ code: "JOURNAL_DAMAGED" }) },
    ]);
    expect(await failure(entries.acquire(first.id))).toMatchObject({ code: "JOURNAL_DAMAGED" });
  }
  const journal = await openJournal({ folder });
  await journal.discard(first.id);
  expect(await failure(journal.discard(first.id))).toMatchObject({ code: "JOURNAL_ENTRY_UNKNOWN" });
  expect((await entries.list()).map(({ id }) => id)).toEqual([second.id]);
});

test("what a process left that was killed before it renamed a file is no entry", async () => {
  const folder = await scratch();
  const entries = await openEntries(folder);
  const entry = await entries.start("test", { n: 1 });
  await entry.release();
  await writeFile(join(folder, ".keeplight-000000000000-1-1-0000000000000000.part"), "half of an ent");
  expect(await entries.list()).toEqual([expect.objectContaining({ state: { n: 1 } })]);
});

test("what a process left that was killed between its lock and its entry is removed by the next one", async () => {
  const folder = await scratch();
  const entries = await openEntries(folder);
  const entry = await entries.start("test", { n: 1 });
  const child = spawn(process.execPath, ["-e", ""]);
  await once(child, "exit");
  const [dead, alive] = ["d".repeat(32), "a".repeat(32)];
  const writeLock = (id: string, pid: number | undefined, start: string) =>
    writeFile(join(folder, `${id}.lock.1`), JSON.stringify({ host: getHostId(), pid, start, isReleased: false }));
  await writeLock(dead, child.pid, "1");
  await writeLock(alive, process.pid, getStartTime(process.pid) ?? "0");
  await openEntries(folder);
  const locks = (await readdir(folder)).filter((name) => name.includes(".lock."));
  expect(locks.sort()).toEqual([`${alive}.lock.1`, `${entry.id}.lock.1`, "journal.lock.1"].sort());
});

test("nothing is recorded in a journal that has replaced the one that was opened", async () => {
  const folder = await scratch();
  const entries = await openEntries(folder);
  const operation = await entries.start("test", {});
  await rm(folder, { recursive: true });
  expect(await failure(entries.start("test", {}))).toMatchObject({ code: "JOURNAL_CLOSED" });
  expect(await failure(operation.update({}))).toMatchObject({ code: "CANNOT_WRITE" });
  const replacement = await openEntries(folder);
  expect(await failure(entries.start("test", {}))).toMatchObject({ code: "JOURNAL_CLOSED" });
  expect(await failure(entries.open("test", "name", {}))).toMatchObject({ code: "JOURNAL_CLOSED" });
  expect(await failure(operation.update({}))).toMatchObject({ code: "JOURNAL_ENTRY_BUSY" });
  expect(await replacement.list()).toEqual([]);
});

test("an entry is owned by one process at a time", async () => {
  const folder = await scratch();
  const [one, other] = [await openEntries(folder), await openEntries(folder)];
  const entry = await one.start("test", { n: 1 });
  expect(await failure(other.acquire(entry.id))).toMatchObject({ code: "JOURNAL_ENTRY_BUSY" });
  expect(await failure(other.discard(entry.id))).toMatchObject({ code: "JOURNAL_ENTRY_BUSY" });
  await entry.update({ n: 2 });
  await entry.release();
  const acquired = await other.acquire(entry.id);
  expect(acquired.state).toEqual({ n: 2 });
  expect(await failure(entry.update({ n: 3 }))).toMatchObject({ code: "JOURNAL_ENTRY_BUSY" });
  await acquired.complete();
  expect(await failure(one.acquire(entry.id))).toMatchObject({ code: "JOURNAL_ENTRY_UNKNOWN" });
  expect((await readdir(folder)).filter((name) => name.startsWith(entry.id))).toEqual([]);
});

test("an owner that lost its entry changes nothing of it, and leaves no file behind", async () => {
  const folder = await scratch();
  const entries = await openEntries(folder);
  const entry = await entries.start("test", { n: 1 });
  const host = "0".repeat(12);
  // As a process of another machine that shares the folder takes it over, and writes.
  await writeFile(join(folder, `${entry.id}.lock.2`), JSON.stringify({ id: "x", host, pid: 1, start: "1" }));
  await rm(join(folder, `${entry.id}.lock.1`));
  await writeFile(pathOfEntry(folder, entry.id), "of its successor");
  const names = (await readdir(folder)).sort();
  expect(await failure(entry.update({ n: 2 }))).toMatchObject({ code: "JOURNAL_ENTRY_BUSY" });
  await entry.complete();
  expect(await readFile(pathOfEntry(folder, entry.id), "utf8")).toBe("of its successor");
  expect((await readdir(folder)).sort()).toEqual(names);
});

test("operations that are over keep no file open, and no timer running", async () => {
  const folder = await scratch();
  const entries = await openEntries(folder);
  const assertNoLeaks = watchLeaks();
  await Promise.all(
    Array.from({ length: 20 }, async (_, at) => {
      const entry = await entries.start("test", { n: 0 }, { durable: at % 2 === 0 });
      for (let n = 1; n < 4; n++) await entry.update({ n });
      await (at % 3 === 0 ? entry.release() : entry.complete());
    }),
  );
  await assertNoLeaks();
});

test.each([[{}], [{ folder: 1 }], [{ folder: "" }], [{ foler: "x" }]])(
  "openJournal(%j) is refused",
  async (options) => {
    expect(await failure(openJournal(options as { folder: string }))).toMatchObject({ code: "INVALID_OPTION" });
  },
);

test("a journal by its name is for pages", async () => {
  expect(await failure(openJournal({ name: "x" }))).toMatchObject({ code: "UNSUPPORTED" });
});
