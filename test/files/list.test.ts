import { expect, test } from "vitest";
import { iterateFiles, type ListFilesOptions } from "../../src/files/list.ts";
import { failure } from "../support/failure.ts";
import { createServer, endpointsAt, sendJson, type TestServer } from "../support/http-server.ts";

/** A file of a listing, by its id. */
function file(id: string) {
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

/** A server whose pages are what `pageAfter` gives for a `lastKey`. */
function listing(pageAfter: (lastKey: string) => string[]): Promise<TestServer> {
  return createServer(({ query }, response) =>
    sendJson(response, { fileList: pageAfter(query["lastKey"] ?? "").map(file), totalFiles: 1000 }),
  );
}

/** A well-behaved server of these pages. */
function pagesOf(...pages: string[][]): (lastKey: string) => string[] {
  return (lastKey) => {
    const before = pages.findIndex((page) => page.at(-1) === lastKey);
    return (lastKey === "null" ? pages[0] : pages[before + 1]) ?? [];
  };
}

async function idsFrom({ url }: TestServer, options: Partial<ListFilesOptions> = {}): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of iterateFiles({ apiKey: "key", endpoints: endpointsAt(url), ...options })) ids.push(id);
  return ids;
}

const keysAsked = ({ requests }: TestServer) => requests.map(({ query }) => query["lastKey"]);

test("files of all pages come in order, each page asked for by the last id of the one before", async () => {
  const server = await listing(pagesOf(["a", "b"], ["c", "d"], ["e"]));
  expect(await idsFrom(server)).toEqual(["a", "b", "c", "d", "e"]);
  expect(keysAsked(server)).toEqual(["null", "b", "d", "e"]);
});

test("an account without files is one request", async () => {
  const server = await listing(() => []);
  expect(await idsFrom(server)).toEqual([]);
  expect(keysAsked(server)).toEqual(["null"]);
});

test("it goes on after a file", async () => {
  const server = await listing(pagesOf(["a", "b"], ["c"]));
  expect(await idsFrom(server, { lastKey: "b" })).toEqual(["c"]);
});

test("a server that always gives the same page ends it, and nothing comes twice", async () => {
  const server = await listing(() => ["a", "b"]);
  expect(await idsFrom(server)).toEqual(["a", "b"]);
  expect(server.requests).toHaveLength(2);
});

test("a server that goes round in circles ends it", async () => {
  const next: Record<string, string[]> = { null: ["a", "b"], b: ["c", "d"], d: ["a", "b"] };
  const server = await listing((lastKey) => next[lastKey] ?? []);
  expect(await idsFrom(server)).toEqual(["a", "b", "c", "d"]);
  expect(server.requests).toHaveLength(3);
});

test("pages that overlap give each file once", async () => {
  const next: Record<string, string[]> = { null: ["a", "b"], b: ["b", "c"], c: ["c"] };
  const server = await listing((lastKey) => next[lastKey] ?? []);
  expect(await idsFrom(server)).toEqual(["a", "b", "c"]);
});

test("leaving the loop asks for no more", async () => {
  const server = await listing(pagesOf(["a", "b"], ["c"]));
  for await (const { id } of iterateFiles({ apiKey: "key", endpoints: endpointsAt(server.url) })) {
    if (id === "b") break;
  }
  expect(keysAsked(server)).toEqual(["null"]);
});

test("an abort between two files of a page ends it before the second", async () => {
  const server = await listing(pagesOf(["a", "b"]));
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

test("nothing is asked for before the first file is", async () => {
  const server = await listing(pagesOf(["a"]));
  const files = iterateFiles({ apiKey: "key", endpoints: endpointsAt(server.url) });
  expect(await files.return()).toEqual({ value: undefined, done: true });
  expect(await files.next()).toEqual({ value: undefined, done: true });
  expect(server.requests).toEqual([]);
});

test.each([
  ["by break", 0],
  ["by an error of the loop's own", 1],
] as const)("a loop left %s leaves no connection and nothing waiting for the signal", async (_, way) => {
  const server = await listing(pagesOf(["a", "b"], ["c", "d"], ["e"]));
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
  expect(keysAsked(server)).toEqual(["null", "b"]);
  expect(listeners).toBe(0);
  await expect.poll(() => server.connections()).toBe(0);
});
