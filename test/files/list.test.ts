import { expect, test } from "vitest";
import { iterateFiles, type ListFilesOptions } from "../../src/storage/files/account-files.ts";
import { failure } from "../support/failure.ts";
import { createServer, endpointsAt, sendJson, type TestServer } from "../support/http-server.ts";

/** Creates a row of a listing. */
function createRow(id: string) {
  return {
    id,
    cid: "bafy",
    fileName: `${id}.txt`,
    fileSizeInBytes: "1",
    mimeType: null,
    encryption: false,
    createdAt: 1,
    publicKey: "0x",
  };
}

/** Starts a server that responds with the page that `pageAfter` returns for a `lastKey`. */
function startListing(pageAfter: (lastKey: string) => string[]): Promise<TestServer> {
  return createServer(({ query }, response) =>
    sendJson(response, { fileList: pageAfter(query["lastKey"] ?? "").map(createRow), totalFiles: 1000 }),
  );
}

/** Finds the page after a `lastKey`, as a correct server does. */
function servePages(...pages: string[][]): (lastKey: string) => string[] {
  return (lastKey) => {
    const before = pages.findIndex((page) => page.at(-1) === lastKey);
    return (lastKey === "null" ? pages[0] : pages[before + 1]) ?? [];
  };
}

async function collectIds({ url }: TestServer, options: Partial<ListFilesOptions> = {}): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of iterateFiles({ apiKey: "key", endpoints: endpointsAt(url), ...options })) ids.push(id);
  return ids;
}

const getRequestedKeys = ({ requests }: TestServer) => requests.map(({ query }) => query["lastKey"]);

test("yields the files of all pages in order, and requests each page by the last id of the previous one", async () => {
  const server = await startListing(servePages(["a", "b"], ["c", "d"], ["e"]));
  expect(await collectIds(server)).toEqual(["a", "b", "c", "d", "e"]);
  expect(getRequestedKeys(server)).toEqual(["null", "b", "d", "e"]);
});

test("an account without files is one request", async () => {
  const server = await startListing(() => []);
  expect(await collectIds(server)).toEqual([]);
  expect(getRequestedKeys(server)).toEqual(["null"]);
});

test("resumes after a file", async () => {
  const server = await startListing(servePages(["a", "b"], ["c"]));
  expect(await collectIds(server, { lastKey: "b" })).toEqual(["c"]);
});

test("ends if a server always returns the same page, and yields no file twice", async () => {
  const server = await startListing(() => ["a", "b"]);
  expect(await collectIds(server)).toEqual(["a", "b"]);
  expect(server.requests).toHaveLength(2);
});

test("ends if a server repeats its pages in a cycle", async () => {
  const next: Record<string, string[]> = { null: ["a", "b"], b: ["c", "d"], d: ["a", "b"] };
  const server = await startListing((lastKey) => next[lastKey] ?? []);
  expect(await collectIds(server)).toEqual(["a", "b", "c", "d"]);
  expect(server.requests).toHaveLength(3);
});

test("yields each file of overlapping pages once", async () => {
  const next: Record<string, string[]> = { null: ["a", "b"], b: ["b", "c"], c: ["c"] };
  const server = await startListing((lastKey) => next[lastKey] ?? []);
  expect(await collectIds(server)).toEqual(["a", "b", "c"]);
});

test("requests no further page after the loop ends", async () => {
  const server = await startListing(servePages(["a", "b"], ["c"]));
  for await (const { id } of iterateFiles({ apiKey: "key", endpoints: endpointsAt(server.url) })) {
    if (id === "b") break;
  }
  expect(getRequestedKeys(server)).toEqual(["null"]);
});

test("an abort between two files of a page ends the loop before the second", async () => {
  const server = await startListing(servePages(["a", "b"]));
  const controller = new AbortController();
  const files = iterateFiles({ apiKey: "key", endpoints: endpointsAt(server.url), signal: controller.signal });
  expect((await files.next()).value).toMatchObject({ id: "a" });
  controller.abort();
  expect((await failure(files.next())).code).toBe("ABORTED");
  expect(await files.next()).toEqual({ value: undefined, done: true });
});

test("an abort ends the wait for a page", async () => {
  const controller = new AbortController();
  const { url } = await createServer(() => controller.abort());
  const files = iterateFiles({ apiKey: "key", endpoints: endpointsAt(url), signal: controller.signal });
  expect((await failure(files.next())).code).toBe("ABORTED");
});

test("sends no request before the first file is read", async () => {
  const server = await startListing(servePages(["a"]));
  const files = iterateFiles({ apiKey: "key", endpoints: endpointsAt(server.url) });
  expect(await files.return()).toEqual({ value: undefined, done: true });
  expect(await files.next()).toEqual({ value: undefined, done: true });
  expect(server.requests).toEqual([]);
});

test.each([
  ["with break", 0],
  ["with an error", 1],
] as const)("a loop left %s leaks no connection and no listener on the signal", async (_, way) => {
  const server = await startListing(servePages(["a", "b"], ["c", "d"], ["e"]));
  const { signal } = new AbortController();
  let listeners = 0;
  const { addEventListener, removeEventListener } = signal;
  signal.addEventListener = (...args: Parameters<typeof addEventListener>) => {
    listeners++;
    addEventListener.apply(signal, args);
  };
  signal.removeEventListener = (...args: Parameters<typeof removeEventListener>) => {
    listeners--;
    removeEventListener.apply(signal, args);
  };
  const enough = new Error("enough");
  const loop = async () => {
    for await (const { id } of iterateFiles({ apiKey: "key", endpoints: endpointsAt(server.url), signal })) {
      if (id !== "c") continue;
      if (way === 1) throw enough;
      break;
    }
  };
  if (way === 1) await expect(loop()).rejects.toBe(enough);
  else await loop();
  expect(getRequestedKeys(server)).toEqual(["null", "b"]);
  expect(listeners).toBe(0);
  await expect.poll(() => server.connections()).toBe(0);
});
