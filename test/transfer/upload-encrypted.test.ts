import { truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { inspect } from "node:util";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import {
  decrypt,
  openJournal,
  type Source,
  type UnfinishedUpload,
  type UploadEncryptedOptions,
  type UploadedFile,
  upload,
  uploadEncrypted,
  uploadTextEncrypted,
} from "../../src/index.ts";
import { failure } from "../support/failure.ts";
import { scratch, writeTree } from "../support/files.ts";
import { createServer, endpointsAt, findClosedUrl, type Handler, sendJson } from "../support/http-server.ts";
import { createMemoryNetwork, type MemoryNetwork } from "../support/net-memory.ts";

const owner = { address: "0x00000000000000000000000000000000000000aa", authToken: "jwt:token-secret" };
const quick = { pauseMs: 0, retryMs: 0 };

function send(
  network: { url: string },
  source: Source,
  options: Partial<UploadEncryptedOptions> = {},
): Promise<UploadedFile[]> {
  const all = { apiKey: "key-secret", ...owner, ...quick, endpoints: endpointsAt(network.url), ...options };
  return uploadEncrypted(source, all as UploadEncryptedOptions);
}

const open = ({ url }: MemoryNetwork, cid: string) => decrypt(cid, { ...owner, ...quick, endpoints: endpointsAt(url) });
const text = (bytes: Uint8Array) => Buffer.from(bytes).toString();
const someFiles = (count: number) => Array.from({ length: count }, (_, at) => new File([`file ${at}`], `${at}.txt`));

describe("is refused before anything is sent", () => {
  const signer = { getAddress: () => owner.address, signMessage: async () => "0x5e" };
  const twins = [new File(["1"], "x.txt"), new File(["2"], "x.txt")];
  const cases: [string, Source, object, string, string][] = [
    ["two files of one name", twins, {}, "DUPLICATE_NAME", "Duplicate file name found: x.txt"],
    [
      "two files of one name, with a signer",
      twins,
      { signer, address: undefined, authToken: undefined },
      "DUPLICATE_NAME",
      "Duplicate file name found: x.txt",
    ],
    ["a signature for several files", someFiles(2), { authToken: "0x5e" }, "NOT_A_JWT", "auth_token must be a JWT"],
    [
      "no API key",
      someFiles(1),
      { apiKey: undefined },
      "MISSING_API_KEY",
      "No API key: pass { apiKey }, or bind one with createKit({ apiKey })",
    ],
    [
      "no owner",
      someFiles(1),
      { address: undefined, authToken: undefined },
      "MISSING_OWNER",
      "No owner: pass { signer }, or { address, authToken }",
    ],
    ["a bad address", someFiles(1), { address: "0x1" }, "INVALID_ADDRESS", "Invalid public Key"],
    ["a bad address to share to", someFiles(1), { shareTo: ["0x1"] }, "INVALID_ADDRESS", "Invalid public Key"],
    ["nobody to share to", someFiles(1), { shareTo: [] }, "INVALID_ADDRESS", "Invalid public Key"],
    [
      "a threshold of 1",
      someFiles(1),
      { threshold: 1 },
      "INVALID_OPTION",
      "Invalid option threshold: expected a whole number, at least 2",
    ],
    [
      "a threshold above the number of nodes",
      someFiles(1),
      { threshold: 6 },
      "INVALID_OPTION",
      "Invalid option keyCount: expected a whole number from 6 (the threshold) on",
    ],
  ];
  test.each(cases)("%s", async (_, source, options, code, message) => {
    const server = await createServer(() => undefined);
    const error = await failure(send(server, source, options));
    expect(error.code).toBe(code);
    if (!code.startsWith("INVALID_OPTION")) expect(error.message).toBe(message);
    expect(server.requests).toEqual([]);
  });

  test("names that differ only by a slash", async () => {
    const folder = await writeTree(await scratch(), { "dir/a/b.txt": "1", "dir/a-b.txt": "2" });
    const server = await createServer(() => undefined);
    const error = await failure(send(server, join(folder, "dir")));
    expect(error).toMatchObject({ code: "DUPLICATE_NAME", message: "Duplicate file name found: a-b.txt" });
    expect(server.requests).toEqual([]);
  });

  test("a file of 64 GiB, before its first byte is read", async () => {
    const path = join(await scratch(), "huge.bin");
    await writeFile(path, "");
    await truncate(path, 2 ** 36 - 31);
    const server = await createServer(() => undefined);
    expect(await failure(send(server, path))).toMatchObject({
      code: "FILE_TOO_LARGE",
      message: "File too large to encrypt: huge.bin has 68719476705 bytes, the limit is 68719476704",
      details: { name: "huge.bin", size: 2 ** 36 - 31, limit: 2 ** 36 - 32 },
    });
    expect(server.requests).toEqual([]);
  });

  test("a signature is accepted for one file", async () => {
    const network = await createMemoryNetwork();
    expect(await send(network, someFiles(1), { ...owner, authToken: "0x5e" })).toHaveLength(1);
  });
});

test("a folder becomes files named by their paths within it, each with its own key", async () => {
  const network = await createMemoryNetwork();
  const folder = await writeTree(await scratch(), { "dir/a/b.txt": "one", "dir/c.txt": "two", "dir/d": "" });
  const stored = await send(network, join(folder, "dir"));
  expect(stored.map(({ Name }) => Name)).toEqual(["a-b.txt", "c.txt", "d"]);
  expect(stored.map(({ Size }) => Size)).toEqual(["47", "47", "44"]);
  const contents = await Promise.all(stored.map(async ({ Hash }) => text(await open(network, Hash))));
  expect(contents).toEqual(["one", "two", ""]);
  const shards = network.saved.map(({ payload }) => `${payload.key}${payload.index}`);
  expect(new Set(shards).size).toBe(15);
});

test("the same bytes encrypted twice are two different files", async () => {
  const network = await createMemoryNetwork();
  await send(network, new Uint8Array(100));
  await send(network, new Uint8Array(100));
  const [first, second] = [...network.files.values()].map((bytes) => text(bytes));
  expect(first).not.toBe(second);
});

test("a string is sent as a plain text file", async () => {
  const network = await createMemoryNetwork();
  const options = { apiKey: "key", ...owner, ...quick, endpoints: endpointsAt(network.url) };
  const [file] = await uploadTextEncrypted("grüß gott", options);
  expect(file?.Name).toBe("text.txt");
  expect(network.requests[0]?.headers).toMatchObject({ encryption: "true", "mime-type": "text/plain" });
  expect(text(await open(network, file?.Hash ?? ""))).toBe("grüß gott");
});

describe("an upload is announced as plain text", () => {
  const text = (name: string) => new File(["text"], name, { type: "text/plain;charset=utf-8" });
  const untyped = (name: string) => new File(["text"], name);
  const cases: [string, Source, string | undefined][] = [
    ["of a File of that type", text("notes"), "text/plain"],
    ["of a File without a type, by its name", untyped("notes.TXT"), "text/plain"],
    ["of bytes, by their name", { name: "notes.txt", stream: new Blob(["x"]).stream() }, "text/plain"],
    ["if all of several files are", [text("a"), untyped("b.txt")], "text/plain"],
    ["not if one of several is not", [text("a"), untyped("b.bin")], undefined],
    ["not of another text type", new File(["<p>"], "a.html", { type: "text/html" }), undefined],
    ["not by a name that contradicts its type", new File(["x"], "a.txt", { type: "image/png" }), undefined],
    ["not of bytes without a name", new Uint8Array(4), undefined],
  ];
  test.each(cases)("%s", async (_, source, expected) => {
    const network = await createMemoryNetwork();
    await send(network, source);
    expect(network.requests[0]?.headers["mime-type"]).toBe(expected);
  });

  test("of a path, by its name", async () => {
    const folder = await writeTree(await scratch(), { "notes.txt": "text", "dir/a.txt": "a", "dir/b/c.txt": "c" });
    for (const path of ["notes.txt", "dir"]) {
      const network = await createMemoryNetwork();
      await send(network, join(folder, path));
      expect(network.requests[0]?.headers["mime-type"]).toBe("text/plain");
    }
  });
});

test("a folder with one file is stored under the name that is given", async () => {
  const folder = await writeTree(await scratch(), { "scan/page-1.pdf": "page" });
  const network = await createMemoryNetwork();
  const [file] = await send(network, join(folder, "scan"), { name: "report.pdf" });
  expect(file?.Name).toBe("report.pdf");
});

test("an abort takes effect while the keys of many files are generated", async () => {
  const draws = vi.spyOn(crypto, "getRandomValues");
  onTestFinished(() => draws.mockRestore());
  const network = await createMemoryNetwork();
  const controller = new AbortController();
  const count = 20_000;
  const files = Array.from({ length: count }, (_, at) => new File([], `${at}`));
  draws.mockImplementationOnce((array) => {
    setImmediate(() => controller.abort());
    return array;
  });
  expect(await failure(send(network, files, { signal: controller.signal }))).toMatchObject({ code: "ABORTED" });
  expect(draws.mock.calls.length).toBeLessThan(count);
  expect(network.requests).toEqual([]);
});

describe("if the shards cannot be saved at a node", () => {
  const refusal: Handler = (_, response) => sendJson(response, { message: { message: "Access Denied" } }, 403);

  test.each([1, 2, 3, 4, 5])("%d, the error keeps what resume needs, and shows none of it", async (node) => {
    const network = await createMemoryNetwork();
    network.override((path) => path === `/api/setSharedKey/${node}`, refusal, 1);
    const error = (await failure(send(network, new File(["precious"], "p.txt")))) as UnfinishedUpload;
    const nodesDone = [1, 2, 3, 4, 5].filter((other) => other < node);
    expect(error).toMatchObject({
      name: "UnfinishedError",
      code: "SHARDS_NOT_SAVED",
      message: "Error encrypting file",
      details: { node, unfinished: [{ Name: "p.txt", Hash: network.cidAt(0), nodesDone }] },
      cause: { code: "NODE_REFUSED", message: "Access Denied" },
    });
    expect(network.saved.map((shard) => shard.node)).toEqual(nodesDone);

    const [file] = await error.resume();
    expect(file).toMatchObject({ Name: "p.txt", Hash: network.cidAt(0) });
    expect(network.saved.map((shard) => shard.node)).toEqual([1, 2, 3, 4, 5]);
    expect(network.files.size).toBe(1);
    expect(text(await open(network, network.cidAt(0)))).toBe("precious");
    const printed = `${inspect(error, { depth: 20, showHidden: true })}${JSON.stringify(error)}${error.stack}`;
    for (const { payload } of network.saved) expect(printed).not.toContain(payload.key);
    expect(printed).not.toContain("secret");
  });

  test("of several files, resume skips those that are done", async () => {
    const network = await createMemoryNetwork();
    let requests = 0;
    network.override((path) => path === "/api/setSharedKey/3" && ++requests === 2, refusal, 1);
    const error = (await failure(send(network, someFiles(4)))) as UnfinishedUpload;
    expect(error.code).toBe("SHARDS_NOT_SAVED");
    const stored = await error.resume();
    expect(stored).toHaveLength(4);
    const calls = network.saved.map(({ node, cid }) => `${cid}/${node}`);
    expect(new Set(calls).size).toBe(20);
    expect(calls).toHaveLength(20);
    for (const [at, { Hash }] of stored.entries()) expect(text(await open(network, Hash))).toBe(`file ${at}`);
  });

  test("an aborted save can be resumed with a new signal", async () => {
    const network = await createMemoryNetwork();
    const controller = new AbortController();
    network.override(
      (path) => path === "/api/setSharedKey/2",
      () => controller.abort(),
      1,
    );
    const error = (await failure(send(network, someFiles(1), { signal: controller.signal }))) as UnfinishedUpload;
    expect(error).toMatchObject({ name: "UnfinishedError", code: "ABORTED" });
    await error.resume({ signal: new AbortController().signal });
    expect(text(await open(network, network.cidAt(0)))).toBe("file 0");
  });

  test("resume accepts a new token", async () => {
    const network = await createMemoryNetwork();
    network.override(
      (path) => path === "/api/setSharedKey/4",
      (_, response) => sendJson(response, { message: "expired" }, 401),
      1,
    );
    const error = (await failure(send(network, someFiles(1)))) as UnfinishedUpload;
    await error.resume({ authToken: "jwt:fresh" } as Partial<UploadEncryptedOptions>);
    const tokens = network.requests.slice(1).map(({ headers }) => headers.authorization);
    expect(tokens.slice(-2)).toEqual(["Bearer jwt:fresh", "Bearer jwt:fresh"]);
  });
});

describe("if all was sent and the response is lost, the keys are kept", () => {
  const lost: [string, Handler, string][] = [
    ["the connection breaks", (_, response) => response.destroy(), "NETWORK"],
    [
      "the response is truncated",
      (_, response) => response.writeHead(200, { "Content-Length": 999 }).end("["),
      "NETWORK",
    ],
    ["the response is a page", (_, response) => response.end("<html>"), "INVALID_RESPONSE"],
    ["the response names no file", (_, response) => sendJson(response, []), "INVALID_RESPONSE"],
    ["no response arrives", () => undefined, "TIMEOUT"],
    ["a proxy times out", (_, response) => response.writeHead(504).end(), "HTTP_STATUS"],
  ];
  test.each(lost)("%s", async (_, handler, code) => {
    const network = await createMemoryNetwork();
    network.override((path) => path === "/api/v0/add", handler);
    const timeoutMs = code === "TIMEOUT" ? 4_000 : 8_000;
    const error = (await failure(send(network, someFiles(2), { timeoutMs }))) as UnfinishedUpload;
    expect(error).toMatchObject({
      name: "UnfinishedError",
      code,
      details: { bodySent: true, names: ["0.txt", "1.txt"] },
    });
    expect(network.saved).toEqual([]);

    const missing = await failure(error.resume({ cids: { "0.txt": network.cidAt(0) } }));
    expect(missing).toMatchObject({ message: "Invalid option cids: expected a content id for 1.txt" });
    const stored = await error.resume({
      cids: { "0.txt": network.cidAt(0), "1.txt": network.cidAt(1) },
      timeoutMs: 8_000,
    });
    expect(stored).toEqual([
      { Name: "0.txt", Hash: network.cidAt(0) },
      { Name: "1.txt", Hash: network.cidAt(1) },
    ]);
    for (const [at, { Hash }] of stored.entries()) expect(text(await open(network, Hash))).toBe(`file ${at}`);
  });

  test("the caller aborts", async () => {
    const network = await createMemoryNetwork();
    const controller = new AbortController();
    network.override(
      (path) => path === "/api/v0/add",
      () => controller.abort(),
    );
    const error = (await failure(send(network, someFiles(1), { signal: controller.signal }))) as UnfinishedUpload;
    expect(error).toMatchObject({ name: "UnfinishedError", code: "ABORTED", details: { bodySent: true } });
    await error.resume({ cids: { "0.txt": network.cidAt(0) }, signal: new AbortController().signal });
    expect(text(await open(network, network.cidAt(0)))).toBe("file 0");
  });

  test.each([302, 303, 408, 500, 501, 502, 503, 504, 507, 520, 599])("the status is %d", async (status) => {
    const network = await createMemoryNetwork();
    network.override(
      (path) => path === "/api/v0/add",
      (_, response) => sendJson(response, { message: "stored, but…" }, status),
    );
    const error = (await failure(send(network, someFiles(1)))) as UnfinishedUpload;
    expect(error).toMatchObject({ name: "UnfinishedError", details: { status, bodySent: true, names: ["0.txt"] } });
    await error.resume({ cids: { "0.txt": network.cidAt(0) } });
    expect(text(await open(network, network.cidAt(0)))).toBe("file 0");
  });

  test.each([400, 401, 402, 403, 404, 409, 413, 415, 422, 429])(
    "a refusal by %d is final: nothing is stored and no key kept",
    async (status) => {
      const network = await createMemoryNetwork();
      network.override(
        (path) => path === "/api/v0/add",
        (_, response) => sendJson(response, { message: "no" }, status),
      );
      const error = await failure(send(network, someFiles(1)));
      expect(error).toMatchObject({
        name: "KeeplightError",
        code: "HTTP_STATUS",
        message: `Request failed with status code ${status}`,
      });
      expect(error.details).not.toHaveProperty("bodySent");
    },
  );

  test("content ids of the caller that are not confirmed are not kept in the journal", async () => {
    const network = await createMemoryNetwork();
    network.override(
      (path) => path === "/api/v0/add",
      (_, response) => response.destroy(),
    );
    const journal = await openJournal({ folder: await scratch() });
    const error = (await failure(send(network, someFiles(1), { journal }))) as UnfinishedUpload;
    let isDown = true;
    network.override(
      (path) => isDown && path !== "/api/v0/add",
      (_, response) => sendJson(response, { message: "down" }, 500),
    );
    const cids = { "0.txt": "bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e" };
    await failure(error.resume({ cids }));
    isDown = false;
    expect(await journal.list()).toMatchObject([{ kind: "upload", cids: [] }]);
    await error.resume({ cids: { "0.txt": network.cidAt(0) } });
    expect(await journal.list()).toEqual([]);
  });

  test("a request whose connection was never established was not sent", async () => {
    const options = { apiKey: "key", endpoints: { upload: await findClosedUrl() } };
    const error = await failure(upload(new Uint8Array(10), options));
    expect(error).toMatchObject({ name: "KeeplightError", code: "NETWORK" });
    expect(error.details).not.toHaveProperty("bodySent");
  });

  test("a response that names only the folder around a single file is not read as the file", async () => {
    const network = await createMemoryNetwork();
    network.override(
      (path) => path === "/api/v0/add",
      (_, response) =>
        sendJson(response, {
          Name: "",
          Hash: "bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e",
          Size: "9",
        }),
    );
    const error = await failure(send(network, someFiles(1), { wrapWithDirectory: true }));
    expect(error).toMatchObject({ name: "UnfinishedError", code: "INVALID_RESPONSE" });
    expect(network.saved).toEqual([]);
  });
});
