import { rm, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Fault } from "../../packages/devnet/src/index.ts";
import {
  createKit,
  decrypt,
  type FailedOperation,
  isUnfinished,
  type Journal,
  openJournal,
  type ResumedOperation,
  type Source,
  type UnfinishedUpload,
  type UploadedFiles,
  upload,
  uploadEncrypted,
} from "../../src/index.ts";
import { as } from "../kavach/saved-keys.ts";
import { account, cat, devnetForTests, getApiKey } from "../support/devnet-wire.ts";
import { failure } from "../support/failure.ts";
import { scratch } from "../support/files.ts";
import { createServer } from "../support/http-server.ts";
import { parseMultipart } from "../support/multipart.ts";

const devnet = devnetForTests();
const otherProfile = devnetForTests({ chunking: { chunkBytes: 1024 ** 2, links: 1_024 } });

/** The upload node stores what was sent, and its response is lost. */
const lostResponse: Fault = {
  service: "upload",
  method: "POST",
  times: 1,
  action: { kind: "cut", atByte: 0 },
};

async function options(network = devnet()) {
  return { ...as(network, 0), apiKey: await getApiKey(network, account(network, 0)), attempts: 1 };
}

const open = (folder: string) => openJournal({ folder });

/** How many uploads the network has received since `before`. */
const countUploads = (network = devnet()) =>
  network.requests().filter(({ path }) => path.startsWith("/api/v0/add")).length;

async function expectText(cid: string | undefined, text: string, network = devnet()): Promise<void> {
  expect(new TextDecoder().decode(await decrypt(cid ?? "", as(network, 0)))).toBe(text);
}

/** The files of an upload that was resumed. */
function filesOf(report: ResumedOperation | FailedOperation | undefined): UploadedFiles {
  if (report && "kind" in report && report.kind === "upload") return report.result;
  throw new Error("no upload was resumed");
}

/** Uploads while a fault hits; returns the error and the journal, as another process opens it. */
async function uploadWithFault(source: Source, fault: Fault, network = devnet()) {
  const folder = await scratch();
  const undo = network.faults.add(fault);
  const given = { ...(await options(network)), journal: await open(folder) };
  const error = await failure(uploadEncrypted(source, given));
  undo();
  return { error: error as unknown as UnfinishedUpload, journal: await open(folder), folder };
}

/** Uploads through a gateway that receives everything, stores nothing, and fails. */
async function uploadInVain(source: Source) {
  const folder = await scratch();
  const gateway = await createServer((_, response) => response.writeHead(502).end());
  const given = await options();
  const endpoints = { ...given.endpoints, upload: gateway.url };
  const error = await failure(uploadEncrypted(source, { ...given, endpoints, journal: await open(folder) }));
  const [request] = gateway.requests;
  const [sent] = request ? await parseMultipart(request.headers, request.body) : [];
  return { error: error as unknown as UnfinishedUpload, journal: await open(folder), sent: sent?.bytes };
}

test("a completed upload leaves nothing open", async () => {
  const folder = await scratch();
  const journal = await open(folder);
  const [file] = await uploadEncrypted(new File(["text"], "a.txt"), { ...(await options()), journal });
  await expectText(file.Hash, "text");
  expect(await journal.list()).toEqual([]);
  expect(await journal.resumeAll(as(devnet(), 0))).toEqual([]);
});

test.each([
  ["256 KiB and 174 links", devnet],
  ["1 MiB and 1,024 links", otherProfile],
] as const)(
  "if a response is lost, resume finds the files and saves their keys, with blocks of %s",
  async (_, network) => {
    const text = "x".repeat(700_000);
    const files = [new File([text], "a.txt"), new File([`${text}y`], "b.txt")];
    const before = countUploads(network());
    const { error, journal } = await uploadWithFault(files, lostResponse, network());
    expect(isUnfinished(error)).toBe(true);
    const [operation] = await journal.list();
    expect(operation).toMatchObject({
      kind: "upload",
      names: ["a.txt", "b.txt"],
      sizes: [700_000, 700_001],
      cids: [],
      nodesDone: [],
    });
    // No API key: nothing has to be sent again.
    const result = filesOf(await journal.resume(operation?.id ?? "", as(network(), 0)));
    expect(result.map(({ Name }) => Name)).toEqual(["a.txt", "b.txt"]);
    await expectText(result[0]?.Hash, text, network());
    await expectText(result[1]?.Hash, `${text}y`, network());
    expect(countUploads(network())).toBe(before + 1);
    expect(await journal.list()).toEqual([]);
  },
);

test("files that are not stored are encrypted and sent again", async () => {
  const folder = await scratch();
  await writeFile(join(folder, "a.txt"), "text");
  const { error, journal, sent } = await uploadInVain(join(folder, "a.txt"));
  expect(isUnfinished(error)).toBe(true);
  const [report] = await journal.resumeAll(await options());
  const result = filesOf(report);
  expect(result.map(({ Name }) => Name)).toEqual(["a.txt"]);
  await expectText(result[0].Hash, "text");
  // Salt and iv are the first 28 bytes.
  const stored = await cat(devnet(), result[0].Hash);
  expect(sent).toHaveLength(stored.length);
  expect(Buffer.from(stored.subarray(0, 16))).not.toEqual(sent?.subarray(0, 16));
  expect(Buffer.from(stored.subarray(16, 28))).not.toEqual(sent?.subarray(16, 28));
});

test("a file that is stored late is found, though it was sent again in vain meanwhile", async () => {
  const path = join(await scratch(), "a.txt");
  await writeFile(path, "text");
  const { journal, sent } = await uploadInVain(path);
  const { apiKey, endpoints, ...given } = await options();
  const gateway = await createServer((_, response) => response.writeHead(502).end());
  const [failed] = await journal.resumeAll({ ...given, apiKey, endpoints: { ...endpoints, upload: gateway.url } });
  expect(failed).toMatchObject({ error: { code: "HTTP_STATUS" } });
  await upload(sent ?? new Uint8Array(0), { apiKey, endpoints, name: "late" });
  const before = countUploads();
  const [report] = await journal.resumeAll(as(devnet(), 0));
  await expectText(filesOf(report)[0].Hash, "text");
  expect([countUploads(), gateway.requests.length]).toEqual([before, 1]);
});

test("an upload that an error of the caller's code ends is kept", async () => {
  const journal = await open(await scratch());
  const onProgress = () => {
    throw new Error("of the caller");
  };
  const call = uploadEncrypted(new File(["text"], "a.txt"), { ...(await options()), journal, onProgress });
  await expect(call).rejects.toThrow("of the caller");
  expect(await journal.list()).toMatchObject([{ kind: "upload", names: ["a.txt"] }]);
});

test("an upload of which nothing can be stored is not kept", async () => {
  const reset: Fault = { service: "upload", action: { kind: "reset", afterBytes: 10 } };
  const refused: Fault = { service: "upload", action: { kind: "respond", status: 403 } };
  for (const fault of [reset, refused]) {
    const { error, journal } = await uploadWithFault(new File(["text"], "a.txt"), fault);
    expect(isUnfinished(error)).toBe(false);
    expect(await journal.list()).toEqual([]);
  }
});

test("a source that changed is reported, and may be passed again", async () => {
  const folder = await scratch();
  const path = join(folder, "a.txt");
  await writeFile(path, "text");
  const { journal } = await uploadInVain(path);
  await writeFile(path, "TEXT");
  const [operation] = await journal.list();
  const id = operation?.id ?? "";
  const given = await options();
  expect(await failure(journal.resume(id, given))).toMatchObject({
    code: "SOURCE_CHANGED",
    details: { name: "a.txt" },
  });
  await utimes(path, 1, 1);
  expect(await failure(journal.resume(id, given))).toMatchObject({ code: "SOURCE_CHANGED" });
  const longer = new File(["longer"], "a.txt");
  expect(await failure(journal.resume(id, { ...given, source: longer }))).toMatchObject({ code: "SOURCE_CHANGED" });
  const result = filesOf(await journal.resume(id, { ...given, source: path }));
  await expectText(result[0].Hash, "TEXT");
});

test("a file of a page that was changed is reported, though its size is the same", async () => {
  const { journal } = await uploadInVain(new File(["text"], "a.txt", { lastModified: 1_000 }));
  const id = (await journal.list())[0]?.id ?? "";
  const changed = new File(["TEXT"], "a.txt", { lastModified: 2_000 });
  expect(await failure(journal.resume(id, { ...(await options()), source: changed }))).toMatchObject({
    code: "SOURCE_CHANGED",
  });
  const same = new File(["text"], "a.txt", { lastModified: 1_000 });
  const result = filesOf(await journal.resume(id, { ...(await options()), source: same }));
  await expectText(result[0].Hash, "text");
});

test("a stream has to be passed again", async () => {
  const stream = () => ({ name: "a.txt", size: 4, stream: new Blob(["text"]).stream() });
  const { journal } = await uploadInVain(stream());
  const [operation] = await journal.list();
  const id = operation?.id ?? "";
  expect(await failure(journal.resume(id, await options()))).toMatchObject({ code: "INVALID_SOURCE" });
  const others = [new File(["text"], "b.txt"), new File(["text"], "c.txt")];
  expect(await failure(journal.resume(id, { ...(await options()), source: others }))).toMatchObject({
    code: "INVALID_SOURCE",
    details: { name: "a.txt" },
  });
  const result = filesOf(await journal.resume(id, { ...(await options()), source: stream() }));
  await expectText(result[0].Hash, "text");
});

test("of many files, only those that are not stored are sent again, after any number of attempts", async () => {
  const files = ["a", "b", "c"].map((name) => new File([name], `${name}.txt`));
  const { journal, sent = new Uint8Array(0) } = await uploadInVain(files);
  const id = (await journal.list())[0]?.id ?? "";
  const { apiKey, endpoints } = await options();
  await upload(sent, { apiKey, endpoints, name: "the first of them, late" });
  const undo = devnet().faults.add(lostResponse);
  expect(await failure(journal.resume(id, { ...(await options()), source: files }))).toMatchObject({ code: "NETWORK" });
  undo();
  const before = countUploads();
  const result = filesOf(await journal.resume(id, as(devnet(), 0)));
  for (const [at, name] of ["a", "b", "c"].entries()) await expectText(result[at]?.Hash, name);
  expect(countUploads()).toBe(before);
});

/** Uploads while node 3 is down. */
async function uploadHalf() {
  devnet().stopNode(3);
  const folder = await scratch();
  const journal = await open(folder);
  const error = await failure(uploadEncrypted(new File(["text"], "a.txt"), { ...(await options()), journal }));
  devnet().startNode(3);
  return { error: error as unknown as UnfinishedUpload, journal, folder };
}

test("shards that are missing are saved by another journal, and the error can no longer be resumed", async () => {
  const { error, folder } = await uploadHalf();
  const journal: Journal = await open(folder);
  const [operation] = await journal.list();
  expect(operation).toMatchObject({ nodesDone: [1, 2], cids: [expect.stringMatching(/^b/)] });
  const [report] = await journal.resumeAll(as(devnet(), 0));
  await expectText(filesOf(report)[0].Hash, "text");
  expect(await failure(error.resume())).toMatchObject({ code: "JOURNAL_ENTRY_UNKNOWN" });
});

test("resuming the error of an upload completes its operation, and leaves it open if that fails", async () => {
  const { error, journal } = await uploadHalf();
  expect(await failure(error.resume({ signal: AbortSignal.abort() }))).toMatchObject({ code: "ABORTED" });
  expect(await journal.list()).toHaveLength(1);
  const [file] = await error.resume();
  await expectText(file.Hash, "text");
  expect(await journal.list()).toEqual([]);
});

test("another account cannot resume an upload", async () => {
  const { journal } = await uploadHalf();
  const id = (await journal.list())[0]?.id ?? "";
  expect(await failure(journal.resume(id, as(devnet(), 1)))).toMatchObject({
    code: "INVALID_OPTION",
    details: { option: "signer" },
  });
  expect(await journal.list()).toHaveLength(1);
});

test("of two that resume a journal at once, one completes each operation", async () => {
  const folder = await scratch();
  devnet().stopNode(3);
  const journal = await open(folder);
  for (let at = 0; at < 4; at++) {
    await failure(uploadEncrypted(new File([`${at}`], `${at}.txt`), { ...(await options()), journal }));
  }
  devnet().startNode(3);
  const reports = await Promise.all([journal, await open(folder)].map((one) => one.resumeAll(as(devnet(), 0))));
  const completed = reports.flat().flatMap((report) => ("result" in report ? [report.id] : []));
  expect([completed.length, new Set(completed).size]).toEqual([4, 4]);
  const errors = reports.flat().flatMap((report) => ("error" in report ? [report.error] : []));
  expect(errors).toEqual(errors.map(() => expect.objectContaining({ code: "JOURNAL_ENTRY_BUSY" })));
});

test("a kit binds a journal", async () => {
  const journal = await open(await scratch());
  const kit = createKit({ ...(await options()), journal });
  devnet().stopNode(1);
  await failure(kit.uploadEncrypted(new File(["text"], "a.txt")));
  devnet().startNode(1);
  expect(await journal.list()).toHaveLength(1);
});

test("what openJournal did not return is refused as a journal", async () => {
  const journal = { place: "/tmp" };
  const call = uploadEncrypted(new File(["text"], "a.txt"), { ...(await options()), journal });
  expect(await failure(call)).toMatchObject({ code: "INVALID_OPTION", details: { option: "journal" } });
});

test("an upload whose progress cannot be written is not stored", async () => {
  const folder = await scratch();
  const journal = await open(folder);
  const before = countUploads();

  await rm(folder, { recursive: true });
  const call = uploadEncrypted(new File(["text"], "a.txt"), { ...(await options()), journal });
  expect(await failure(call)).toMatchObject({ code: "JOURNAL_CLOSED" });
  expect(countUploads()).toBe(before);
});

test("an operation lists who works on it, and an unfinished error names it", async () => {
  const folder = await scratch();
  const [here, elsewhere] = [await open(folder), await open(folder)];
  const given = { ...(await options()), journal: here };
  const seen: unknown[] = [];
  devnet().faults.add(lostResponse);
  const upload = uploadEncrypted({ name: "a.txt", stream: listing() }, given);
  async function* listing() {
    for (const journal of [here, elsewhere]) seen.push((await journal.list())[0]?.worker);
    yield new TextEncoder().encode("text");
  }
  const error = (await failure(upload)) as UnfinishedUpload;
  expect(seen).toEqual(["here", "elsewhere"]);
  const [left] = await here.list();
  expect([left?.id, left?.worker]).toEqual([error.operationId, undefined]);
  await elsewhere.resume(error.operationId ?? "", await options());
  expect(await here.list()).toEqual([]);
});
