import { expect, onTestFinished, test } from "vitest";
import { iterateFiles, type Journal, type OpenOperation, openJournal } from "../../../src/index.ts";
import { getEntries } from "../../../src/journal/handle.ts";
import { eventually } from "../../../test/support/eventually.ts";
import { useUnfinished, useUpload, useUploadEncrypted } from "../src/index.ts";
import { newAccount, renderHook } from "./rig.tsx";
import { breakRequests, holdRequests } from "./traffic.ts";

const COUNT = 12;

const createFile = (name: string, text = name) => new File([text], name, { lastModified: 1_700_000_000_000 });
const createFiles = (count: number) => Array.from({ length: count }, (_, at) => createFile(`letter ${at}.txt`));
const toNames = (files: readonly File[]) => files.map(({ name }) => name).sort();

async function newOwner() {
  const account = await newAccount();
  return { ...account, journal: await openJournal({ name: crypto.randomUUID() }) };
}

type Owner = Awaited<ReturnType<typeof newOwner>>;

/** The hooks of a page of this account: with a journal object of its own, as each page has one. */
async function openPage(owner: Owner) {
  const journal = await openJournal({ name: owner.journal.place });
  return renderHook(
    () => ({ unfinished: useUnfinished(), encrypted: useUploadEncrypted({ keepFolder: true }), open: useUpload() }),
    { ...owner, journal },
  );
}

async function listOpen(journal: Journal, kind?: OpenOperation["kind"]): Promise<string[]> {
  const open = await journal.list();
  return open.flatMap((each) => (kind === undefined || each.kind === kind ? each.names : [])).sort();
}

/** The names of all that is stored, more than one page of the listing. */
async function listStored({ apiKey, endpoints }: Owner): Promise<(string | null)[]> {
  const names: (string | null)[] = [];
  for await (const { fileName } of iterateFiles({ apiKey, endpoints })) names.push(fileName);
  return names.sort();
}

/** Waits until a page offers something that the page before no longer works on, and returns it. */
async function waitForOffer(page: Awaited<ReturnType<typeof openPage>>) {
  await eventually(() => {
    const offered = page.now.unfinished.state.value ?? [];
    expect(offered.length).toBeGreaterThan(0);
    expect(offered.filter(({ worker }) => worker !== undefined)).toEqual([]);
  });
  return page.now.unfinished.state.value ?? [];
}

test("every file is in the journal once its row is shown; another page uploads all that were not started, once", async () => {
  const owner = await newOwner();
  const files = createFiles(COUNT);
  const first = await openPage(owner);
  const release = holdRequests("/api/v0/add");
  first.now.encrypted.upload(files);
  expect(first.now.encrypted.uploads).toEqual([]);
  await eventually(() => expect(first.now.encrypted.uploads).toHaveLength(COUNT));
  expect(await listOpen(owner.journal)).toEqual(toNames(files));
  await eventually(async () => expect(await listOpen(owner.journal, "upload")).toHaveLength(2));
  expect(await listOpen(owner.journal)).toEqual(toNames(files));
  await first.unmount();
  release();

  const second = await openPage(owner);
  const offered = await waitForOffer(second);
  expect(offered.flatMap(({ names }) => names).sort()).toEqual(toNames(files));
  for (const { id } of offered) await second.now.unfinished.resume(id, { source: files });
  const queued = offered.filter(({ kind }) => kind === "queued").flatMap(({ names }) => names);
  expect(queued.length).toBeGreaterThanOrEqual(COUNT - 2);
  await eventually(() => expect(second.now.encrypted.total.count.done).toBe(queued.length));
  expect(await listStored(owner)).toEqual(toNames(files));
  expect(await owner.journal.list()).toEqual([]);
});

test("files that are not in the choice, or have changed, stay; one chosen with its folder keeps its name", async () => {
  const owner = await newOwner();
  const release = holdRequests("/api/");
  const first = await openPage(owner);
  const files = ["a.txt", "b.txt", "c.txt", "d.txt"].map((name) => createFile(name));
  // Public uploads have no entry of their own: those that run when the page ends are offered, too.
  first.now.open.upload(files);
  await eventually(() => expect(first.now.open.total.count.running).toBe(2));
  await first.unmount();
  release();

  const second = await openPage(owner);
  const [batch] = await waitForOffer(second);
  expect(batch).toMatchObject({ kind: "queued", names: toNames(files), sizes: [5, 5, 5, 5] });
  const id = batch?.id ?? "";
  expect(await second.now.unfinished.resume(id)).toBeUndefined();
  expect(await second.now.unfinished.resume(id, { source: [createFile("e.txt")] })).toBeUndefined();
  await eventually(() =>
    expect(second.now.unfinished.state.value).toMatchObject([
      { names: toNames(files), state: { status: "failed", error: { code: "INVALID_SOURCE" } } },
    ]),
  );
  const inFolder = createFile("b.txt");
  Object.defineProperty(inFolder, "webkitRelativePath", { value: "letters/2026/b.txt" });
  const chosen = [createFile("a.txt"), inFolder, createFile("c.txt", "longer"), new File(["d.txt"], "d.txt")];
  await second.now.unfinished.resume(id, { source: chosen });
  await eventually(() => expect(second.now.open.total.count.done).toBe(2));
  expect(await listStored(owner)).toEqual(["a.txt", "b.txt"]);
  await eventually(() =>
    expect(second.now.unfinished.state.value).toMatchObject([{ kind: "queued", names: ["c.txt", "d.txt"] }]),
  );
  expect(await second.now.unfinished.discard(second.now.unfinished.state.value?.[0]?.id ?? "")).toBe(true);
  expect(await owner.journal.list()).toEqual([]);
});

test("a folder waits as a whole, and is continued by its folder", async () => {
  const owner = await newOwner();
  const createFolder = () =>
    ["a.txt", "sub/b.txt"].map((path) => {
      const file = createFile(path.split("/").at(-1) ?? "", path);
      Object.defineProperty(file, "webkitRelativePath", { value: `letters/${path}` });
      return file;
    });
  const release = holdRequests("/api/");
  const first = await openPage(owner);
  first.now.encrypted.upload([createFile("x.txt"), createFile("y.txt"), createFolder()]);
  await eventually(() => expect(first.now.encrypted.uploads).toHaveLength(3));
  await first.unmount();
  release();

  const second = await openPage(owner);
  await waitForOffer(second);
  const folder = second.now.unfinished.state.value?.find((each) => each.folder !== undefined);
  expect(folder).toMatchObject({ kind: "queued", folder: "letters", names: ["letters/a.txt", "letters/sub/b.txt"] });
  await second.now.unfinished.resume(folder?.id ?? "", { source: createFolder() });
  await eventually(() => expect(second.now.encrypted.uploads).toMatchObject([{ state: { status: "done" } }]));
  expect(second.now.encrypted.uploads[0]?.name).toBe("letters");
});

test("a file whose upload failed before it was sent stays in the journal until it is removed", async () => {
  const owner = await newOwner();
  const page = await openPage(owner);
  const restore = breakRequests("/api/");
  page.now.encrypted.upload([createFile("a.txt"), createFile("b.txt")]);
  await eventually(() => expect(page.now.encrypted.total.count.failed).toBe(2));
  expect(await listOpen(owner.journal, "queued")).toEqual(["a.txt", "b.txt"]);
  restore();
  const [a, b] = page.now.encrypted.ids;
  page.now.encrypted.retry(a);
  page.now.encrypted.clear(b);
  await eventually(() => expect(page.now.encrypted.total.count.done).toBe(1));
  await eventually(async () => expect(await owner.journal.list()).toEqual([]));
});

test("files that cannot be recorded are shown as failed", async () => {
  const owner = await newOwner();
  const page = await openPage(owner);
  indexedDB.deleteDatabase(owner.journal.place);
  page.now.encrypted.upload([createFile("a.txt")]);
  await eventually(() =>
    expect(page.now.encrypted.uploads).toMatchObject([
      { name: "a.txt", state: { status: "failed", error: { code: "JOURNAL_CLOSED" } } },
    ]),
  );
});

test("an upload that is cancelled or removed while it is recorded does not start", async () => {
  const owner = await newOwner();
  const page = await openPage(owner);
  const [a = "", b = ""] = page.now.encrypted.upload([createFile("a.txt"), createFile("b.txt")]);
  page.now.encrypted.abort(a);
  page.now.encrypted.clear(b);
  await eventually(() => expect(page.now.encrypted.uploads).toMatchObject([{ id: a, state: { status: "aborted" } }]));
  await eventually(async () => expect(await listOpen(owner.journal)).toEqual(["a.txt"]));
  page.now.encrypted.retry(a);
  await eventually(() => expect(page.now.encrypted.total.count.done).toBe(1));
  expect(await listStored(owner)).toEqual(["a.txt"]);
});

test("files of one name, size and date are each uploaded once, as long as each is chosen", async () => {
  const owner = await newOwner();
  const release = holdRequests("/api/");
  const first = await openPage(owner);
  const files = ["one", "two"].map((text) => createFile("a.txt", text));
  first.now.open.upload(files);
  await eventually(() => expect(first.now.open.uploads).toHaveLength(2));
  await first.unmount();
  release();

  const second = await openPage(owner);
  for (const source of files.map((file) => [file])) {
    const [batch] = await waitForOffer(second);
    await second.now.unfinished.resume(batch?.id ?? "", { source });
  }
  await eventually(() => expect(second.now.open.total.count.done).toBe(2));
  const stored = second.now.open.uploads.flatMap(({ state }) => (state.status === "done" ? state.files : []));
  expect(new Set(stored.map(({ Hash }) => Hash)).size).toBe(2);
  expect(await owner.journal.list()).toEqual([]);
});

test("a file that was chosen without the others of its upload is used once they are chosen, too", async () => {
  const owner = await newOwner();
  const release = holdRequests("/api/");
  const first = await openPage(owner);
  const [a, b, c, d] = ["a.txt", "b.txt", "c.txt", "d.txt"].map((name) => createFile(name)) as [File, File, File, File];
  first.now.open.upload([
    [a, b],
    [c, d],
  ]);
  await eventually(() => expect(first.now.open.uploads).toHaveLength(2));
  await first.unmount();
  release();

  const second = await openPage(owner);
  for (const [at, source] of [
    [a, b, c],
    [c, d],
  ].entries()) {
    const [batch] = await waitForOffer(second);
    await second.now.unfinished.resume(batch?.id ?? "", { source });
    await eventually(() => expect(second.now.open.total.count.done).toBe(at + 1));
  }
  expect(await owner.journal.list()).toEqual([]);
});

test("the journal keeps no wallet, no credentials and no later changes of the options", async () => {
  const owner = await newOwner();
  const { signer, apiKey } = owner;
  const circular: { signer?: object } = {};
  circular.signer = circular;
  const wallet = Object.assign(circular, {
    getAddress: () => signer.getAddress(),
    signMessage: (message: string) => signer.signMessage(message),
  });
  const release = holdRequests("/api/");
  const first = await openPage(owner);
  const [friend, stranger] = [`0x${"1".repeat(40)}`, `0x${"2".repeat(40)}`] as const;
  const shareTo: [string] = [friend];
  first.now.encrypted.upload([createFile("a.txt")], { signer: wallet, apiKey, shareTo });
  shareTo[0] = stranger;
  await eventually(() => expect(first.now.encrypted.uploads).toHaveLength(1));
  expect(first.now.encrypted.uploads[0]?.state.status).not.toBe("failed");
  const [queued] = await getEntries(owner.journal).list();
  expect(queued).toMatchObject({ kind: "queued", state: { options: { keepFolder: true, shareTo: [friend] } } });
  expect(JSON.stringify(queued)).not.toContain(apiKey);
  await first.unmount();
  release();

  const second = await openPage(owner);
  const offered = await waitForOffer(second);
  for (const { id } of offered) await second.now.unfinished.resume(id, { source: [createFile("a.txt")] });
  await eventually(() => expect(second.now.encrypted.total.count.done).toBe(1));
});

test("a page's list of files that is cleared after the call is uploaded as it was", async () => {
  const owner = await newOwner();
  const page = await openPage(owner);
  const transfer = new DataTransfer();
  transfer.items.add(createFile("a.txt"));
  transfer.items.add(createFile("b.txt"));
  const { files } = transfer;
  page.now.open.upload([files]);
  transfer.items.clear();
  expect(files).toHaveLength(0);
  await eventually(() => expect(page.now.open.total.count.done).toBe(1));
  expect(await listStored(owner)).toEqual(["a.txt", "b.txt"]);
});

test.each(["address", "getAddress()"])(
  "files of one account, known by its %s, are not uploaded for another one",
  async (by) => {
    const [owner, other] = [await newOwner(), await newAccount()];
    const release = holdRequests("/api/");
    const { address } = owner.signer;
    const nameless = { getAddress: async () => address, signMessage: (text: string) => owner.signer.signMessage(text) };
    const first = await openPage(by === "address" ? owner : ({ ...owner, signer: nameless } as unknown as Owner));
    first.now.encrypted.upload([createFile("a.txt"), createFile("b.txt"), createFile("c.txt")]);
    await eventually(() => expect(first.now.encrypted.uploads).toHaveLength(3));
    await first.unmount();
    release();

    const signer = {
      getAddress: async () => other.signer.address,
      signMessage: (message: string) => other.signer.signMessage(message),
    };
    const second = await openPage({ ...owner, ...other, signer } as unknown as Owner);
    const offered = await waitForOffer(second);
    const batch = offered.find(({ kind }) => kind === "queued");
    await second.now.unfinished.resume(batch?.id ?? "", {
      source: ["a", "b", "c"].map((name) => createFile(`${name}.txt`)),
    });
    expect(second.now.unfinished.state.value?.find(({ id }) => id === batch?.id)).toMatchObject({
      state: { status: "failed", error: { code: "INVALID_OPTION" } },
    });
    expect(second.now.encrypted.uploads).toEqual([]);
  },
);

test("what is stored while storage has no room is not offered to be sent again, but to be completed", async () => {
  const owner = await newOwner();
  const release = holdRequests("/api/v0/add");
  const first = await openPage(owner);
  first.now.encrypted.upload(["a.txt", "b.txt", "c.txt"].map((name) => createFile(name)));
  await eventually(() => expect(first.now.encrypted.total.count.running).toBe(2));
  const [queued] = await owner.journal.list();
  const { put } = IDBObjectStore.prototype;
  const makeRoom = () => {
    IDBObjectStore.prototype.put = put;
  };
  onTestFinished(makeRoom);
  IDBObjectStore.prototype.put = function (this: IDBObjectStore, ...call: Parameters<typeof put>) {
    if (call[1] === queued?.id) throw new DOMException("There is no room", "QuotaExceededError");
    return put.apply(this, call);
  };
  first.now.encrypted.abort(first.now.encrypted.ids[2]);
  release();
  await eventually(() => expect(first.now.encrypted.total.count.done).toBe(2));
  await first.unmount();

  const second = await openPage(owner);
  const uploads = (await waitForOffer(second)).filter(({ kind }) => kind === "upload");
  expect(await listOpen(owner.journal, "queued")).toEqual(["c.txt"]);
  expect(uploads.flatMap(({ names }) => names).sort()).toEqual(["a.txt", "b.txt"]);
  const [{ id = "" } = {}] = uploads;
  expect(await second.now.unfinished.resume(id)).toBeUndefined();
  makeRoom();
  for (const upload of uploads) await second.now.unfinished.resume(upload.id);
  expect(await listOpen(owner.journal)).toEqual(["c.txt"]);
  expect(await listStored(owner)).toEqual(["a.txt", "b.txt"]);
});

test("10,000 files are recorded by few writes", async () => {
  const owner = await newOwner();
  const page = await openPage(owner);
  const release = holdRequests("/api/");
  const { put } = IDBObjectStore.prototype;
  let writes = 0;
  IDBObjectStore.prototype.put = function (this: IDBObjectStore, ...call: Parameters<typeof put>) {
    writes++;
    return put.apply(this, call);
  };
  onTestFinished(() => {
    IDBObjectStore.prototype.put = put;
  });
  page.now.encrypted.upload(createFiles(10_000));
  await eventually(() => expect(page.now.encrypted.ids).toHaveLength(10_000));
  expect(writes).toBeLessThan(100);
  expect(await listOpen(owner.journal)).toHaveLength(10_000);
  await page.unmount();
  release();
});
