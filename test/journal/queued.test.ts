import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openJournal } from "../../src/index.ts";
import type { Entry } from "../../src/journal/entries.ts";
import { getEntries, getQueue } from "../../src/journal/handle.ts";

const common = { list: ["uploadEncrypted", ""], account: undefined, options: {} };
const toUploads = (...names: string[]) => names.map((name) => ({ files: [{ name, size: 1 }] }));

async function openPlace() {
  const folder = await mkdtemp(join(tmpdir(), "keeplight-queue-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  /** As a page does: with a journal object of its own. */
  const openPage = async () => {
    const journal = await openJournal({ folder });
    const [queue, entries] = [getQueue(journal), getEntries(journal)];
    if (!queue) throw new Error("the journal has no queue");
    return { journal, queue, entries };
  };
  return openPage;
}

/** What is left by a page that ended after an upload had an entry of its own, and before that left the queue. */
async function startUpload({ entries }: Awaited<ReturnType<Awaited<ReturnType<typeof openPlace>>>>, at: number) {
  const [batch] = await entries.list();
  const { uploads } = (batch as { state: { uploads: { id: string }[] } }).state;
  const file = { name: "a", masterKey: "", keyShards: [], attempts: [], nodesDone: [] };
  const state = { owner: "0x", options: {}, files: [file], queued: uploads[at]?.id };
  const entry = await entries.start("upload", state);
  await entry.release();
  return entry.id;
}

test("an upload that has an entry of its own is not offered besides, nor taken, nor offered once that is discarded", async () => {
  const openPage = await openPlace();
  const first = await openPage();
  for (const place of await first.queue.add(common, toUploads("a", "b"))) await place.release();
  const id = await startUpload(first, 0);

  const second = await openPage();
  expect(await second.journal.list()).toMatchObject([
    { kind: "queued", names: ["b"], sizes: [1] },
    { kind: "upload", names: ["a"] },
  ]);
  await second.journal.discard(id);
  const [left] = await second.journal.list();
  expect(left).toMatchObject({ kind: "queued", names: ["b"] });
  const { uploads } = await second.queue.take(left?.id ?? "", (batch) =>
    batch.uploads.map(({ files }) => files[0]?.name),
  );
  expect(uploads.map(({ chosen }) => chosen)).toEqual(["b"]);
  await uploads[0]?.place.leave();
  expect(await second.journal.list()).toEqual([]);
});

test("an entry whose uploads all have one of their own is not offered, and nothing of it is taken", async () => {
  const openPage = await openPlace();
  const first = await openPage();
  for (const place of await first.queue.add(common, toUploads("a"))) await place.release();
  await startUpload(first, 0);
  expect(await first.journal.list()).toMatchObject([{ kind: "upload" }]);
});

test("uploads that are not chosen wait in an entry of their own; others are left to the page that takes them", async () => {
  const openPage = await openPlace();
  const first = await openPage();
  const places = await first.queue.add(common, toUploads("a", "b", "c"));
  const second = await openPage();
  const [batch] = await second.journal.list();
  const choose = () => ["a", undefined, "c"];
  await expect(second.queue.take(batch?.id ?? "", choose)).rejects.toMatchObject({ code: "JOURNAL_ENTRY_BUSY" });
  expect(batch).toMatchObject({ worker: "elsewhere" });
  for (const place of places) await place.release();
  const { uploads } = await second.queue.take(batch?.id ?? "", choose);
  expect(uploads.map(({ chosen }) => chosen)).toEqual(["a", "c"]);
  const third = await openPage();
  const open = await third.journal.list();
  expect(open.map(({ names, worker }) => [names, worker])).toEqual([
    [["a", "c"], "elsewhere"],
    [["b"], undefined],
  ]);
  await third.journal.discard(open[1]?.id ?? "");
  for (const { place } of uploads) await place.leave();
  expect(await third.journal.list()).toEqual([]);
});

test("what is queued is for the hooks: it is not resumed by the journal, and stays after that", async () => {
  const { journal, queue } = await (await openPlace())();
  for (const place of await queue.add(common, toUploads("a"))) await place.release();
  const [batch] = await journal.list();
  await expect(journal.resume(batch?.id ?? "")).rejects.toMatchObject({ code: "INVALID_OPTION" });
  expect(await journal.resumeAll()).toEqual([]);
  expect(await journal.list()).toMatchObject([{ kind: "queued", names: ["a"] }]);
});

test("a choice that throws leaves all uploads in their entry", async () => {
  const { journal, queue } = await (await openPlace())();
  for (const place of await queue.add(common, toUploads("a", "b"))) await place.release();
  const [batch] = await journal.list();
  const refuse = () => {
    throw new Error("refused");
  };
  await expect(queue.take(batch?.id ?? "", refuse)).rejects.toThrow("refused");
  expect(await journal.list()).toEqual([batch]);
});

test("a page keeps its uploads until the last of them has ended, and what it stored meanwhile is not offered", async () => {
  const openPage = await openPlace();
  const [first, second] = [await openPage(), await openPage()];
  const [running, waiting] = await first.queue.add(common, toUploads("a", "b"));
  await waiting?.release();
  expect(await second.journal.list()).toMatchObject([{ names: ["a", "b"], worker: "elsewhere" }]);
  await running?.leave();
  expect((await second.journal.list()).map(({ names, worker }) => [names, worker])).toEqual([[["b"], undefined]]);
});

test("what a page left in two entries, as it ended while it took some, is offered once, uploaded once, discarded once", async () => {
  const openPage = await openPlace();
  const first = await openPage();
  for (const end of ["taken", "discarded"]) {
    for (const place of await first.queue.add(common, toUploads("a", "b", "c"))) await place.release();
    const [record] = await first.entries.list();
    const { id = "", state } = record as { id: string; state: { uploads: unknown[] } };
    const rest = await first.entries.start("queued", { ...state, uploads: state.uploads.slice(1) });
    await rest.release();
    expect((await first.journal.list()).map(({ names }) => names)).toEqual([["a", "b", "c"]]);
    if (end === "discarded") await first.journal.discard(id);
    else {
      const { uploads } = await first.queue.take(id, ({ uploads: found }) => found.map(({ files }) => files[0]?.name));
      for (const { place } of uploads) await place.leave();
    }
    expect(await first.journal.list()).toEqual([]);
  }
});

/** Makes a page end after this number of writes: nothing that it does later has an effect. Resolves once it has ended. */
function endAfterWrites({ entries }: Awaited<ReturnType<Awaited<ReturnType<typeof openPlace>>>>, count: number) {
  let writes = 0;
  let end = (): void => undefined;
  const ended = new Promise<true>((resolve) => {
    end = () => resolve(true);
  });
  const act = async <T>(work: () => Promise<T>): Promise<T> => {
    if (++writes <= count) return work();
    end();
    return new Promise<T>(() => undefined);
  };
  const watch = <State>(entry: Entry<State>): Entry<State> =>
    Object.create(entry, {
      update: { value: (change: Partial<State>) => act(() => entry.update(change)) },
      complete: { value: () => act(entry.complete) },
      release: { value: () => act(entry.release) },
    });
  const { start, acquire } = entries;
  Object.assign(entries, {
    start: (kind: string, state: object) => act(async () => watch(await start(kind, state))),
    acquire: async (id: string) => watch(await acquire(id)),
  });
  return ended;
}

test("wherever a page ends while it takes uploads and uploads them, each is offered or was uploaded, once", async () => {
  for (let count = 0, hasEnded = true; hasEnded; count++) {
    const openPage = await openPlace();
    const first = await openPage();
    for (const place of await first.queue.add(common, toUploads("a", "b", "c", "d"))) await place.release();
    const uploaded: string[] = [];
    const uploadAll = async (page: typeof first, names: string) => {
      for (const { id } of await page.journal.list()) {
        const { uploads } = await page.queue.take(id, (batch) =>
          batch.uploads.map(({ files: [file] }) => (names.includes(file?.name ?? "") ? file?.name : undefined)),
        );
        for (const { chosen, place } of uploads) {
          uploaded.push(chosen);
          await place.leave();
        }
      }
    };

    const second = await openPage();
    const ended = endAfterWrites(second, count);
    hasEnded = await Promise.race([ended, uploadAll(second, "ac").then(() => false)]);
    // One that was uploaded right before the page ended is offered: a public file has no other entry.
    const repeated = hasEnded ? uploaded.at(-1) : undefined;
    for (const name of await readdir(second.journal.place)) {
      if (/^[0-9a-f]{32}\.lock/.test(name)) await rm(join(second.journal.place, name));
    }
    const third = await openPage();
    await uploadAll(third, "abcd");
    expect(await third.journal.list(), `after ${count} writes`).toEqual([]);
    const once = uploaded.filter((name, at) => name !== repeated || uploaded.indexOf(name) === at);
    expect(once.sort(), `after ${count} writes`).toEqual(["a", "b", "c", "d"]);
  }
});
