import { Wallet } from "ethers";
import { afterEach, expect, inject, test, vi } from "vitest";
import {
  createApiKey,
  createRecoveryIdentity,
  decrypt,
  isUnfinished,
  iterateFiles,
  type Journal,
  kavachShare,
  openJournal,
  type ResumedOperation,
  uploadEncrypted,
} from "../../src/index.ts";
import { createEntries } from "../../src/journal/entries.ts";
import { openJournalKey } from "../../src/journal/journal-key.ts";
import { journalStore } from "../../src/platform/browser/machine.ts";
import { failure } from "../support/failure.ts";
import { type JournalJob, NAME_IN_WORKER, TEXT_IN_WORKER } from "./journal-worker.ts";
import { deleteRaw, listLocks, openRaw, readRaw, untilFree } from "./raw-journal.ts";

const { endpoints } = inject("devnet");
const NOWHERE = "http://127.0.0.1:1";

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

/** An account, and the name of a journal of its own. */
async function createOwner() {
  const signer = Wallet.createRandom();
  const apiKey = await createApiKey({ signer, endpoints });
  const options = { signer, apiKey, endpoints, pauseMs: 0, retryMs: 0 };
  const name = crypto.randomUUID();
  const job = { name, endpoints, apiKey, privateKey: signer.privateKey };
  return { name, options, job };
}

type Owner = Awaited<ReturnType<typeof createOwner>>;

/** Starts a job in a worker; resolves to its first message. */
async function startWorker(job: JournalJob): Promise<{ worker: Worker; result: unknown }> {
  const worker = new Worker(new URL("./journal-worker.ts", import.meta.url), { type: "module" });
  const message = new Promise<{ result?: unknown; error?: string }>((resolve, reject) => {
    worker.onmessage = ({ data }) => resolve(data);
    worker.onerror = () => reject(new Error("the worker does not start"));
  });
  worker.postMessage(job);
  const { result, error } = await message;
  if (error !== undefined) throw new Error(error);
  return { worker, result };
}

/** Uploads to an upload node that cannot be reached. A page does not know what was sent: the operation stays open. */
async function uploadInVain(file: File | File[], { options }: Owner, journal: Journal): Promise<string> {
  const known = new Set((await journal.list()).map(({ id }) => id));
  const unreachable = { ...endpoints, upload: NOWHERE };
  const error = await failure(uploadEncrypted(file, { ...options, endpoints: unreachable, journal }));
  expect(isUnfinished(error)).toBe(true);
  const started = (await journal.list()).find(({ id }) => !known.has(id));
  return started?.id ?? "";
}

const filesOf = (resumed: ResumedOperation | undefined) => (resumed?.kind === "upload" ? resumed.result : []);

async function expectText(cid: string | undefined, text: string, { options }: Owner): Promise<void> {
  const { signer } = options;
  expect(new TextDecoder().decode(await decrypt(cid ?? "", { signer, endpoints, pauseMs: 0 }))).toBe(text);
}

const toLatin1 = (bytes: Uint8Array) => Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
const hexToBytes = (hex: string) => Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));

async function listStored({ options: { apiKey } }: Owner): Promise<string[]> {
  const names: string[] = [];
  for await (const { fileName } of iterateFiles({ apiKey, endpoints })) names.push(fileName ?? "");
  return names;
}

test("an upload of a worker that is terminated is completed by the page, once the worker has ended", async () => {
  const owner = await createOwner();
  const { worker, result } = await startWorker({ ...owner.job, work: "upload" });
  expect(result).toBe("saving");
  const journal = await openJournal({ name: owner.name });
  const [operation] = await journal.list();
  expect(operation).toMatchObject({ kind: "upload", names: [NAME_IN_WORKER], sizes: [TEXT_IN_WORKER.length] });
  const id = operation?.id ?? "";
  for (const call of [journal.resume(id, owner.options), journal.discard(id)]) {
    expect(await failure(call)).toMatchObject({ code: "JOURNAL_ENTRY_BUSY", details: { id } });
  }
  const locks = await listLocks(owner.name);
  worker.terminate();
  await untilFree(locks);
  const [file] = filesOf(await journal.resume(id, owner.options));
  await expectText(file?.Hash, TEXT_IN_WORKER, owner);
  expect(await listStored(owner)).toEqual([NAME_IN_WORKER]);
  expect(await journal.list()).toEqual([]);
  expect(await failure(journal.resume(id, owner.options))).toMatchObject({ code: "JOURNAL_ENTRY_UNKNOWN" });
});

test("a File has to be passed again with the same name, size and time of change", async () => {
  const owner = await createOwner();
  const journal = await openJournal({ name: owner.name });
  const make = (text: string, name = "a.txt", lastModified = 1) => new File([text], name, { lastModified });
  const id = await uploadInVain(make("text"), owner, journal);
  expect(await failure(journal.resume(id, owner.options))).toMatchObject({ code: "INVALID_SOURCE" });
  const changed = [make("longer"), make("TEXT", "a.txt", 2)];
  for (const source of changed) {
    const resuming = journal.resume(id, { ...owner.options, source });
    expect(await failure(resuming)).toMatchObject({ code: "SOURCE_CHANGED", details: { name: "a.txt" } });
  }
  const others = [make("text", "b.txt"), make("text", "c.txt")];
  expect(await failure(journal.resume(id, { ...owner.options, source: others }))).toMatchObject({
    code: "INVALID_SOURCE",
  });
  const [file] = filesOf(await journal.resume(id, { ...owner.options, source: make("text") }));
  await expectText(file?.Hash, "text", owner);
  expect(await journal.list()).toEqual([]);
});

test("of a page and a worker that resume a journal at once, one completes each operation", async () => {
  const owner = await createOwner();
  const { options, name } = owner;
  const journal = await openJournal({ name });
  for (let at = 0; at < 4; at++) {
    const controller = new AbortController();
    const uploading = uploadEncrypted(new File([`${at}`], `${at}.txt`), {
      ...options,
      journal,
      signal: controller.signal,
      onProgress: ({ phase, loaded }) => phase === "saving-keys" && loaded === 2 && controller.abort(),
    });
    expect(await failure(uploading)).toMatchObject({
      code: "ABORTED",
      details: { unfinished: [{ nodesDone: [1, 2] }] },
    });
  }
  const [here, there] = await Promise.all([
    journal.resumeAll(options),
    startWorker({ ...owner.job, work: "resume" }).then(({ result }) => result as { id: string; code?: string }[]),
  ]);
  const own = here.map((report) => ("error" in report ? { id: report.id, code: report.error } : { id: report.id }));
  const reports = [...own, ...there];
  const completed = reports.flatMap((report) => (report.code === undefined ? [report.id] : []));
  expect([completed.length, new Set(completed).size]).toEqual([4, 4]);
  const refused = reports.flatMap(({ code }) => (code === undefined ? [] : [code]));
  for (const code of refused) expect([code, (code as { code?: string }).code]).toContain("JOURNAL_ENTRY_BUSY");
  expect(await journal.list()).toEqual([]);
  const { apiKey } = options;
  for await (const { cid, fileName } of iterateFiles({ apiKey, endpoints }))
    await expectText(cid, (fileName ?? "")[0] ?? "", owner);
});

test("an interrupted share is completed from the journal", async () => {
  const owner = await createOwner();
  const { apiKey: _, ...rest } = owner.options;
  const friend = Wallet.createRandom();
  const [file] = await uploadEncrypted(new File(["text"], "a.txt"), owner.options);
  const journal = await openJournal({ name: owner.name });
  const realFetch = fetch;
  vi.stubGlobal("fetch", (url: string, init: RequestInit) =>
    realFetch(url.endsWith("/setSharedKey/3") ? NOWHERE : url, init),
  );
  const sharing = kavachShare(file.Hash, { ...rest, shareTo: friend.address, journal });
  expect(isUnfinished(await failure(sharing))).toBe(true);
  vi.unstubAllGlobals();
  expect(await journal.list()).toMatchObject([{ kind: "share", cids: [file.Hash], nodesDone: [1, 2, 4, 5] }]);
  const [report] = await journal.resumeAll(owner.options);
  expect(report).toMatchObject({ kind: "share", result: { nodes: [1, 2, 3, 4, 5] } });
});

test("the database holds no names, keys or shards in plaintext, and its own key cannot be read", async () => {
  const owner = await createOwner();
  const journal = await openJournal({ name: owner.name });
  await uploadInVain(new File(["text"], "letter to Bob.txt"), owner, journal);
  const records = await readRaw(owner.name);
  expect(records.size).toBe(3);
  const store = await journalStore({ name: owner.name });
  const [opened] = await createEntries(store, await openJournalKey(store)).list();
  // The master key, and the index and the value of five shards.
  const keys = Array.from(JSON.stringify(opened).matchAll(/[0-9a-f]{64}/g), String);
  expect(keys).toHaveLength(11);
  const secrets = ["Bob", "masterKey", ...keys, ...keys.map((key) => toLatin1(hexToBytes(key)))];
  for (const [key, value] of records) {
    if (key === "key") {
      expect(value).toMatchObject({ type: "secret", extractable: false });
      await expect(crypto.subtle.exportKey("raw", value as CryptoKey)).rejects.toThrow();
      continue;
    }
    const text = toLatin1(value as Uint8Array);
    for (const secret of secrets) expect(text).not.toContain(secret);
  }
});

test("a discarded operation is removed from the database", async () => {
  const owner = await createOwner();
  const journal = await openJournal({ name: owner.name });
  const id = await uploadInVain(new File(["text"], "a.txt"), owner, journal);
  await journal.discard(id);
  expect([...(await readRaw(owner.name)).keys()]).toEqual(["header", "key"]);
  expect(await failure(journal.discard(id))).toMatchObject({ code: "JOURNAL_ENTRY_UNKNOWN" });
});

test("a passphrase and an age identity open the journal of a page, also without the page's own key", async () => {
  const { name } = await createOwner();
  const { identity, recipient } = await createRecoveryIdentity();
  const unlock = { passphrase: "correct horse" };
  const journal = await openJournal({ name, unlock });
  const slot = await journal.addSlot({ recipient });
  expect((await journal.slots()).map(({ kind }) => kind)).toEqual(["passphrase", "recipient"]);
  expect(await failure(openJournal({ name }))).toMatchObject({ code: "JOURNAL_LOCKED" });
  expect(await failure(openJournal({ name, unlock: { passphrase: "wrong" } }))).toMatchObject({
    code: "JOURNAL_LOCKED",
  });
  expect(await (await openJournal({ name, unlock: { identity } })).list()).toEqual([]);
  await journal.removeSlot(slot.id);
  expect(await failure(openJournal({ name, unlock: { identity } }))).toMatchObject({ code: "JOURNAL_LOCKED" });
  expect(await (await openJournal({ name, unlock })).list()).toEqual([]);
});

test("a journal of a page whose key is gone says so", async () => {
  const { name } = await createOwner();
  await openJournal({ name });
  const database = await openRaw(name);
  const transaction = database.transaction("journal", "readwrite");
  transaction.objectStore("journal").delete("key");
  await new Promise((resolve) => (transaction.oncomplete = resolve));
  database.close();
  expect(await failure(openJournal({ name }))).toMatchObject({ code: "JOURNAL_KEY_MISSING", details: { place: name } });
});

test("a journal that pages and workers open at once for the first time has one key", async () => {
  const owner = await createOwner();
  const [journal] = await Promise.all([
    openJournal({ name: owner.name }),
    openJournal({ name: owner.name }),
    startWorker({ ...owner.job, work: "list" }),
    startWorker({ ...owner.job, work: "list" }),
  ]);
  const id = await uploadInVain(new File(["text"], "a.txt"), owner, journal);
  const { result } = await startWorker({ ...owner.job, work: "list" });
  expect(result).toMatchObject([{ id, kind: "upload", names: ["a.txt"] }]);
});

test("nothing is stored if the right to the operation was stolen while its file was encrypted", async () => {
  const owner = await createOwner();
  const journal = await openJournal({ name: owner.name });
  const chunks = (async function* () {
    for (const lock of await listLocks(owner.name)) {
      await navigator.locks.request(lock, { steal: true }, () => undefined);
    }
    yield new Uint8Array(10);
  })();
  const uploading = uploadEncrypted({ name: "a.txt", stream: chunks }, { ...owner.options, journal });
  expect(await failure(uploading)).toMatchObject({ code: "JOURNAL_ENTRY_BUSY" });
  expect(await listStored(owner)).toEqual([]);
});

test("an open journal blocks neither the deletion of its database nor a later version of it", async () => {
  for (const replace of [deleteRaw, async (name: string) => (await openRaw(name, 2)).close()]) {
    const owner = await createOwner();
    const journal = await openJournal({ name: owner.name });
    await replace(owner.name);
    const closed = { code: "JOURNAL_CLOSED", details: { place: owner.name } };
    expect(await failure(journal.list())).toMatchObject(closed);
    const uploading = uploadEncrypted(new File(["text"], "a.txt"), { ...owner.options, journal });
    expect(await failure(uploading)).toMatchObject(closed);
    expect(await listStored(owner)).toEqual([]);
  }
});

test("an upload is not stored if its journal is deleted while its file is encrypted", async () => {
  const owner = await createOwner();
  const journal = await openJournal({ name: owner.name });
  const chunks = (async function* () {
    await deleteRaw(owner.name);
    yield new Uint8Array(10);
  })();
  const uploading = uploadEncrypted({ name: "a.txt", stream: chunks }, { ...owner.options, journal });
  expect(await failure(uploading)).toMatchObject({ code: "JOURNAL_CLOSED" });
  expect(await listStored(owner)).toEqual([]);
});

test("an upload that the site has no room to record is not stored", async () => {
  const owner = await createOwner();
  const journal = await openJournal({ name: owner.name });
  vi.spyOn(IDBObjectStore.prototype, "put").mockImplementation(() => {
    throw new DOMException("full", "QuotaExceededError");
  });
  const uploading = uploadEncrypted(new File(["text"], "a.txt"), { ...owner.options, journal });
  expect(await failure(uploading)).toMatchObject({
    code: "CANNOT_WRITE",
    message: expect.stringContaining("no more room for this site"),
  });
  expect(await journal.list()).toEqual([]);
  expect(await listStored(owner)).toEqual([]);
});

test("a database of a later version, or of something else, is not opened as a journal", async () => {
  const [later, other] = [crypto.randomUUID(), crypto.randomUUID()];
  (await openRaw(later, 2, "journal")).close();
  (await openRaw(other, 1, "letters")).close();
  for (const name of [later, other]) {
    expect(await failure(openJournal({ name }))).toMatchObject({ code: "JOURNAL_DAMAGED" });
  }
  const opened = await openRaw(other);
  expect([...opened.objectStoreNames]).toEqual(["letters"]);
  opened.close();
});

test("a page cannot have a journal in a folder, or without a name", async () => {
  expect(await failure(openJournal({ folder: "./journal" }))).toMatchObject({ code: "UNSUPPORTED" });
  for (const options of [{}, { name: "" }]) {
    expect(await failure(openJournal(options as { name: string }))).toMatchObject({
      code: "INVALID_OPTION",
      details: { option: "name" },
    });
  }
});

const privateWindows: [string, () => void][] = [
  ["without Web Locks", () => vi.spyOn(navigator, "locks", "get").mockReturnValue(undefined as never)],
  ["without IndexedDB", () => vi.stubGlobal("indexedDB", undefined)],
  [
    "that may not use IndexedDB",
    () =>
      vi.spyOn(IDBFactory.prototype, "open").mockImplementation(() => {
        throw new DOMException("denied", "SecurityError");
      }),
  ],
  [
    "that cannot keep keys",
    () =>
      vi.spyOn(IDBObjectStore.prototype, "put").mockImplementation(() => {
        throw new DOMException("could not be cloned", "DataCloneError");
      }),
  ],
];

test.each(privateWindows)("a page %s has no journal", async (_, restrict) => {
  restrict();
  expect(await failure(openJournal({ name: crypto.randomUUID() }))).toMatchObject({ code: "UNSUPPORTED" });
});
