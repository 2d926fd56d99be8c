import { writeFile } from "node:fs/promises";
import { HttpResponse, http, passthrough } from "msw";
import { setupServer } from "msw/node";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createTree, encodeCar } from "../../packages/devnet/test/car.ts";
import {
  deleteFile,
  download,
  getBalance,
  getQuote,
  isUnfinished,
  listBlobs,
  listFiles,
  openJournal,
  upload,
  uploadBuffer,
  uploadCar,
  uploadEncrypted,
  uploadEncryptedFolder,
  uploadText,
  uploadTextEncrypted,
} from "../../src/index.ts";
import { as } from "../kavach/saved-keys.ts";
import { account, devnetForTests, getApiKey } from "../support/devnet-wire.ts";
import { failure } from "../support/failure.ts";
import { scratch } from "../support/files.ts";
import { createServer, endpointsAt, sendJson } from "../support/http-server.ts";
import { computeCid } from "../support/stored-rows.ts";

const devnet = devnetForTests({ storageLimits: { lifetime: 1_000_000, walrus: 1_000_000 } });

let next = 0;
/** Options of another account each time, so that its listing is empty. */
async function options() {
  const n = next++ % 5;
  const own = { ...as(devnet(), n), apiKey: await getApiKey(devnet(), account(devnet(), n)), attempts: 1 };
  const { apiKey, endpoints } = own;
  for (const storage of ["walrus", "all"]) {
    const { fileList } = await listFiles({ apiKey, endpoints, storage });
    for (const { id } of fileList) await deleteFile(id, { apiKey, endpoints, storage });
  }
  return { own, plain: { apiKey, endpoints } };
}

type Given = Awaited<ReturnType<typeof options>>;

const bytes = (size: number) => crypto.getRandomValues(new Uint8Array(size));
const folder = () =>
  ["a.txt", "b.txt"].map((name) => ({ name: `folder/${name}`, stream: new Blob([bytes(9)]).stream() }));

async function createCar(): Promise<Uint8Array> {
  const { root, blocks } = await createTree({ file: bytes(300) }, 262_144);
  return encodeCar([root], blocks);
}

const plainCalls: Record<
  string,
  (storage: string | undefined, given: Given) => Promise<readonly { storage?: unknown }[]>
> = {
  upload: (storage, { plain }) => upload(bytes(10), { ...plain, storage }),
  "upload of a folder": (storage, { plain }) => upload(folder(), { ...plain, storage }),
  uploadText: (storage, { plain }) => uploadText(`${Math.random()}`, { ...plain, storage }),
  uploadBuffer: (storage, { plain }) => uploadBuffer(bytes(10), { ...plain, storage }),
  uploadCar: async (storage, { plain }) => uploadCar(await createCar(), { ...plain, storage }),
};

const encryptedCalls: typeof plainCalls = {
  uploadEncrypted: (storage, { own }) => uploadEncrypted(bytes(10), { ...own, storage }),
  uploadTextEncrypted: (storage, { own }) => uploadTextEncrypted("text", { ...own, storage }),
};

/** The services that received uploads while `work` ran. */
async function uploadsOf(work: () => Promise<unknown>): Promise<string[]> {
  const before = devnet().requests().length;
  await work();
  const added = devnet().requests().slice(before);
  return added.filter(({ path }) => /^\/api\/v0\/(add|dag)/.test(path)).map(({ service }) => service);
}

const classes = ["annual", "lifetime", "walrus", "glacier"];

test.each(Object.entries({ ...plainCalls, ...encryptedCalls }))("%s names the storage class", async (name, call) => {
  const given = await options();
  for (const storage of classes) {
    let stored: readonly { storage?: unknown }[] = [];
    const services = await uploadsOf(async () => {
      stored = await call(storage, given);
    });
    const isWalrus = storage === "walrus" && Object.hasOwn(plainCalls, name);
    expect(services).toEqual([isWalrus ? "walrusUpload" : "upload"]);
    expect(new Set(stored.map((file) => file.storage))).toEqual(new Set([storage]));
    expect((await listFiles({ ...given.plain, storage })).fileList.length).toBeGreaterThan(0);
  }
  const [unnamed] = await call(undefined, given);
  expect(unnamed).not.toHaveProperty("storage");
});

test("the files and the manifest of an encrypted folder are stored in the class", async () => {
  const { own, plain } = await options();
  await uploadEncryptedFolder(folder(), { ...own, name: "folder", storage: "lifetime" });
  expect((await listFiles({ ...plain, storage: "lifetime" })).fileList).toHaveLength(3);
  expect((await listFiles(plain)).fileList).toHaveLength(3);
});

test("an upload that names no class sends the header of none, and reads no usage", async () => {
  const server = await createServer(({ path }, response) => {
    sendJson(response, path === "/api/v0/add" ? { Name: "a", Hash: hash, Size: "1" } : {});
  });
  await upload(bytes(1), { apiKey: "key", endpoints: endpointsAt(server.url) });
  await upload(bytes(1), { apiKey: "key", endpoints: endpointsAt(server.url), storage: "annual", checkRoom: false });
  expect(server.requests.map(({ path, headers }) => [path, headers["x-storage-type"]])).toEqual([
    ["/api/v0/add", undefined],
    ["/api/v0/add", "annual"],
  ]);
});

const hash = "bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy";

test.each(["", "a b", "a\r\nX-Other: 1", 5])("%j is no storage class: nothing is sent", async (storage) => {
  const server = await createServer((_, response) => sendJson(response, {}));
  const given = { apiKey: "key", endpoints: endpointsAt(server.url), storage: storage as string };
  for (const call of [() => upload(bytes(1), given), () => listFiles(given), () => deleteFile("id", given)]) {
    expect(await failure(call())).toMatchObject({ code: "INVALID_OPTION", details: { option: "storage" } });
  }
  expect(server.requests).toEqual([]);
});

test("files for another network do not go to the public node for walrus", async () => {
  const server = await createServer((_, response) => sendJson(response, { Name: "a", Hash: hash, Size: "1" }));
  const { walrusUpload: _, ...endpoints } = endpointsAt(server.url);
  const [file] = await upload(bytes(1), { apiKey: "key", endpoints, storage: "walrus", checkRoom: false });
  expect(file.Hash).toBe(hash);
});

/** A service with so much room; `usage` is what it responds, `undefined` if it fails. */
async function withUsage(usage: () => object | undefined) {
  const server = await createServer(({ path }, response) => {
    if (path === "/api/v0/add" || path === "/api/v0/dag/import")
      return sendJson(response, { Name: "a", Hash: hash, Size: "1" });
    const body = usage();
    return body ? sendJson(response, body) : sendJson(response, { message: "busy" }, 503);
  });
  const count = (part: string) => server.requests.filter(({ path }) => path.includes(part)).length;
  const given = { apiKey: `key-${Math.random()}`, endpoints: endpointsAt(server.url) };
  return { given, uploads: () => count("/api/v0/"), readings: () => count("user_data_usage") };
}

const usageOf = (limit: number, used: number) => ({
  annual: { dataLimit: limit, dataUsed: used },
  lifetime: { dataLimit: 1e9, dataUsed: 0, dataLimitPermanent: limit, dataUsedPermanent: used },
  walrus: { dataLimit: 1e9, dataUsed: 0, walrusDataLimit: `${limit}`, walrusDataUsed: used },
});

test.each(["annual", "lifetime", "walrus"] as const)(
  "files without room in %s are refused before they are sent",
  async (storage) => {
    const { given, uploads, readings } = await withUsage(() => usageOf(100, 91)[storage]);
    const details = { storage, size: 10, limit: 100, used: 91 };
    const expected = { code: "NO_ROOM", details };
    expect(await failure(upload(bytes(10), { ...given, storage }))).toMatchObject(expected);
    expect(await failure(uploadCar(bytes(10), { ...given, storage }))).toMatchObject(expected);
    expect([uploads(), readings()]).toEqual([0, 2]);
    await upload(bytes(9), { ...given, storage });
    expect([uploads(), readings()]).toEqual([1, 2]);
  },
);

test("an encrypted file is as large as it is stored, and leaves nothing in the journal", async () => {
  const { own } = await options();
  const journal = await openJournal({ folder: await scratch() });
  devnet().setDataLimit("lifetime", 53);
  const error = await failure(uploadEncrypted(bytes(10), { ...own, journal, storage: "lifetime" }));
  expect(error).toMatchObject({ code: "NO_ROOM", details: { size: 54, limit: 53, used: 0 } });
  expect(await journal.list()).toEqual([]);
  devnet().setDataLimit("lifetime", 54);
  expect(await uploadEncrypted(bytes(10), { ...own, storage: "lifetime" })).toHaveLength(1);
  devnet().setDataLimit("lifetime", 1_000_000);
});

test("what was read counts for a minute; before a refusal usage is read once more", async () => {
  let used = 0;
  const { given, uploads, readings } = await withUsage(() => usageOf(100, used).annual);
  const send = (size: number) => upload(bytes(size), { ...given, storage: "annual" });
  for (let sent = 0; sent < 5; sent++) await send(20);
  expect([uploads(), readings()]).toEqual([5, 1]);
  // Of what was read first, nothing is left; something was deleted meanwhile.
  used = 50;
  await send(20);
  expect([uploads(), readings()]).toEqual([6, 2]);
  used = 100;
  expect((await failure(send(40))).code).toBe("NO_ROOM");
  expect([uploads(), readings()]).toEqual([6, 3]);
  used = 0;
  await send(20);
  const later = vi.spyOn(Date, "now").mockReturnValue(Date.now() + 61_000);
  onTestFinished(() => void later.mockRestore());
  await send(20);
  expect([uploads(), readings()]).toEqual([8, 5]);
});

test("what was read of one account, class or network says nothing of another", async () => {
  const full = await withUsage(() => usageOf(100, 95).annual);
  const empty = await withUsage(() => usageOf(100, 0).annual);
  const storage = "annual";
  const { apiKey } = empty.given;
  await upload(bytes(10), { ...empty.given, storage });
  for (const given of [full.given, { ...full.given, apiKey }])
    expect((await failure(upload(bytes(10), { ...given, storage }))).code).toBe("NO_ROOM");
  await upload(bytes(10), { ...empty.given, storage });
  await upload(bytes(10), { ...empty.given, storage: "glacier" });
  expect([empty.readings(), full.uploads()]).toEqual([2, 0]);
});

test("an aborted upload, or one failed reading, switches nothing off for others", async () => {
  let answers = 0;
  const { given, uploads, readings } = await withUsage(() => (answers++ < 1 ? undefined : usageOf(100, 95).annual));
  const send = (more = {}) => upload(bytes(10), { ...given, storage: "annual", ...more });
  await send();
  const aborted = AbortSignal.abort();
  expect((await failure(send({ signal: aborted }))).code).toBe("ABORTED");
  expect((await failure(send())).code).toBe("NO_ROOM");
  expect([uploads(), readings()]).toEqual([1, 2]);
});

test("an abort while usage is read ends every upload that waits for it", async () => {
  const server = await createServer(() => undefined);
  const abort = new AbortController();
  const given = { apiKey: "key", endpoints: endpointsAt(server.url), storage: "annual", signal: abort.signal };
  const waiting = [failure(upload(bytes(1), given)), failure(upload(bytes(1), given))];
  await expect.poll(() => server.requests.length).toBe(2);
  abort.abort();
  expect((await Promise.all(waiting)).map(({ code }) => code)).toEqual(["ABORTED", "ABORTED"]);
  await expect.poll(() => server.connections()).toBe(0);
});

test("usage that never arrives delays an upload by its time limit at most, and is read again", async () => {
  const server = await createServer(({ path }, response) => {
    if (path === "/api/v0/add") sendJson(response, { Name: "a", Hash: hash, Size: "1" });
  });
  const given = { apiKey: "key", endpoints: endpointsAt(server.url), storage: "annual", timeoutMs: 2_000 };
  for (let sent = 0; sent < 2; sent++) await upload(bytes(1), given);
  expect(server.requests.map(({ path }) => path)).toEqual([
    "/api/user/user_data_usage",
    "/api/v0/add",
    "/api/user/user_data_usage",
    "/api/v0/add",
  ]);
});

test("an API key for another upload node is not shown to the public API", async () => {
  const asked: string[] = [];
  const network = setupServer(
    http.all("*", ({ request }) => {
      asked.push(new URL(request.url).hostname);
      return HttpResponse.json({ Name: "a", Hash: hash, Size: "1" });
    }),
  );
  network.listen({ onUnhandledRequest: "error" });
  onTestFinished(() => network.close());
  const own = "https://upload.example.org";
  await upload(bytes(1), { apiKey: "key", endpoints: { upload: own }, storage: "annual" });
  await upload(bytes(1), { apiKey: "key", endpoints: { api: own }, storage: "annual" });
  await upload(bytes(1), { apiKey: "key", endpoints: { walrusUpload: own }, storage: "walrus" });
  expect(asked).toEqual(["upload.example.org", "upload.lighthouse.storage", "upload.example.org"]);
});

describe("the gateway of walrus", () => {
  const file = bytes(1_000);
  /** A gateway that serves the file, or has status 404. */
  const gateway = (has: boolean) =>
    createServer((_, response) => (has ? response.end(file) : response.writeHead(404).end()));

  test("serves what the first gateway does not, to a download and after an upload", async () => {
    const [first, walrus] = [await gateway(false), await gateway(true)];
    const endpoints = { ...devnet().endpoints, gateway: first.url, walrusGateway: walrus.url };
    expect(await download(await computeCid(file), { endpoints })).toEqual(file);
    expect(walrus.requests.length).toBeGreaterThan(0);
  });

  test("is not used for a file that the first gateway has, nor by callers who name a gateway of their own", async () => {
    const [first, walrus] = [await gateway(true), await gateway(true)];
    const cid = await computeCid(file);
    expect(await download(cid, { endpoints: { gateway: first.url, walrusGateway: walrus.url } })).toEqual(file);
    const none = await gateway(false);
    const asked: string[] = [];
    const network = setupServer(
      http.all("*", ({ request }) => {
        if (new URL(request.url).hostname.endsWith("lighthouse.storage")) asked.push(request.url);
        return passthrough();
      }),
    );
    network.listen({ onUnhandledRequest: "error" });
    onTestFinished(() => network.close());
    await failure(download(cid, { endpoints: { gateway: none.url } }));
    expect([walrus.requests.length, asked]).toEqual([0, []]);
  });

  test("of the public network is the second one", async () => {
    const asked: string[] = [];
    const network = setupServer(
      http.all("*", ({ request }) => {
        const { hostname } = new URL(request.url);
        asked.push(hostname);
        return hostname.includes("walrus")
          ? HttpResponse.arrayBuffer(file.buffer)
          : new HttpResponse(null, { status: 404 });
      }),
    );
    network.listen({ onUnhandledRequest: "error" });
    onTestFinished(() => network.close());
    expect(await download(await computeCid(file))).toEqual(file);
    expect([...new Set(asked)]).toEqual(["gateway.lighthouse.storage", "gateway-walrus.lighthouse.storage"]);
  });
});

test("with checkRoom, an upload that names no class is checked against the plan", async () => {
  const { given, uploads } = await withUsage(() => usageOf(100, 95).annual);
  expect((await failure(upload(bytes(10), { ...given, checkRoom: true }))).message).toBe(
    "No room for 10 bytes: the account has 5 of 100 bytes left",
  );
  await upload(bytes(10), given);
  expect(uploads()).toBe(1);
});

test.each<[string, string, object | undefined]>([
  ["usage that cannot be read", "annual", undefined],
  ["a class that the usage says nothing of", "walrus", { dataLimit: 0, dataUsed: 0 }],
  ["an unknown class", "glacier", { dataLimit: 1, dataUsed: 1 }],
  ["a limit that is no number", "annual", { dataLimit: "plenty", dataUsed: 5 }],
  ["a negative limit", "lifetime", { dataLimit: 1, dataUsed: 1, dataLimitPermanent: -1 }],
  ["a limit of walrus that is no number", "walrus", { dataLimit: 1, dataUsed: 1, walrusDataLimit: null }],
])("%s stops no upload", async (_, storage, usage) => {
  const { given, uploads } = await withUsage(() => usage);
  await upload(bytes(10), { ...given, storage });
  expect(uploads()).toBe(1);
});

test("an upload whose keys are saved later keeps its class", async () => {
  const { own, plain } = await options();
  const journal = await openJournal({ folder: await scratch() });
  const undo = devnet().faults.add({ service: "keyNodes", path: "/api/setSharedKey", action: { kind: "reset" } });
  const error = await failure(uploadEncrypted(bytes(10), { ...own, journal, storage: "lifetime" }));
  undo();
  expect(isUnfinished(error)).toBe(true);
  const [resumed] = await journal.resumeAll(own);
  expect(resumed).toMatchObject({ result: [{ storage: "lifetime" }] });
  expect((await listFiles({ ...plain, storage: "lifetime" })).fileList).toHaveLength(1);
});

test("a file that has to be sent again is sent in its class, and checked only if it was to be", async () => {
  const { own, plain } = await options();
  const journal = await openJournal({ folder: await scratch() });
  const source = await scratch();
  await writeFile(`${source}/a.bin`, bytes(10));
  const broken = await createServer((_, response) => response.writeHead(502).end());
  const endpoints = { ...own.endpoints, upload: broken.url };
  await failure(
    uploadEncrypted(`${source}/a.bin`, { ...own, endpoints, journal, storage: "walrus", checkRoom: false }),
  );
  const before = devnet().requests().length;
  const services = await uploadsOf(() => journal.resumeAll(own));
  expect(services).toEqual(["upload"]);
  const readings = devnet().requests().slice(before);
  expect(readings.filter((request) => request.path.includes("user_data_usage"))).toEqual([]);
  expect((await listFiles({ ...plain, storage: "walrus" })).fileList).toHaveLength(1);
});

test("a file of walrus has blobs, and is deleted as such", async () => {
  const { plain } = await options();
  const { endpoints } = plain;
  const [file] = await upload(bytes(10), { ...plain, storage: "walrus" });
  const [other] = await upload(bytes(10), plain);
  expect(await listBlobs(file.Hash, { endpoints })).toEqual([expect.stringMatching(/^[\w-]{43}$/)]);
  expect(await listBlobs(other.Hash, { endpoints })).toEqual([]);
  const { fileList } = await listFiles({ ...plain, storage: "walrus" });
  const [{ id = "" } = {}] = fileList;
  expect(await failure(deleteFile(id, plain))).toMatchObject({ details: { status: 404 } });
  await deleteFile(id, { ...plain, storage: "walrus" });
  expect((await listFiles({ ...plain, storage: "walrus" })).fileList).toEqual([]);
});

test("usage and quotes are by class", async () => {
  const { plain } = await options();
  await upload(bytes(10), { ...plain, storage: "walrus" });
  expect(await getBalance(plain)).toMatchObject({ dataUsed: 0, walrusDataUsed: 10, walrusDataLimit: 1_000_000 });
  const quote = await getQuote(bytes(5), { ...plain, storage: "walrus" });
  expect(quote.usage).toEqual({ dataLimit: 1_000_000, dataUsed: 10, dataLeft: 999_985 });
  expect((await getQuote(bytes(5), { ...plain, storage: "glacier" })).usage).toBeUndefined();
});

test("a plan that ends during an upload is an error, after which nothing is lost", async () => {
  const { own, plain } = await options();
  const journal = await openJournal({ folder: await scratch() });
  const source = await scratch();
  await writeFile(`${source}/a.bin`, bytes(10));
  // It has room for the file when its usage is read.
  const undo = devnet().faults.add({ service: "upload", action: { kind: "respond", status: 403, json: {} }, times: 1 });
  const error = await failure(uploadEncrypted(`${source}/a.bin`, { ...own, journal, storage: "lifetime" }));
  undo();
  expect(error).toMatchObject({ code: "HTTP_STATUS", details: { status: 403 } });
  expect((await listFiles(plain)).fileList).toEqual([]);
  await uploadEncrypted(`${source}/a.bin`, { ...own, journal, storage: "lifetime" });
  expect(await journal.list()).toEqual([]);
});

test("a file that is found stored on resuming says its class", async () => {
  const { own } = await options();
  const journal = await openJournal({ folder: await scratch() });
  const undo = devnet().faults.add({ service: "upload", action: { kind: "cut", atByte: 0 }, times: 1 });
  const given = { ...own, journal, storage: "lifetime" };
  expect(isUnfinished(await failure(uploadEncrypted(bytes(10), given)))).toBe(true);
  undo();
  expect(await journal.resumeAll(own)).toMatchObject([{ result: [{ storage: "lifetime" }] }]);
});
