import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, readlink, rm, stat, writeFile } from "node:fs/promises";
import { request as startHttp } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { download, iterateFiles, KeeplightError, type ListedFile } from "../../../src/index.ts";
import { takeLock } from "../../../src/parts/node.ts";
import { account, devnetForTests, getApiKey } from "../../../test/support/devnet-wire.ts";
import { eventually } from "../../../test/support/eventually.ts";
import { createServer, endpointsAt, sendJson } from "../../../test/support/http-server.ts";
import { createResumableHandler, type ResumableHandlerOptions } from "../src/resumable/index.ts";
import { createLocker } from "../src/resumable/locker.ts";
import { openSpool } from "../src/resumable/spool.ts";
import { serveResumable } from "./endpoint.ts";
import { create, getResult, patch, readOffset, tus, uploadByClient } from "./tus-client.ts";

const MIB = 1024 * 1024;
const devnet = devnetForTests();
const metadata = { filename: "film.bin", filetype: "application/octet-stream" };
let apiKey = "";
let folder = "";

beforeAll(async () => {
  apiKey = await getApiKey(devnet(), account(devnet(), 0));
});

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "keeplight-test-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 30, retryDelay: 100 }));
});

const serve = (options: Partial<ResumableHandlerOptions> = {}) =>
  serveResumable({ apiKey, endpoints: devnet().endpoints, folder, ...options });

async function listStored(cid: string): Promise<ListedFile[]> {
  const found: ListedFile[] = [];
  for await (const file of iterateFiles({ apiKey, endpoints: devnet().endpoints }))
    if (file.cid === cid) found.push(file);
  return found;
}

async function expectStored(at: string, bytes: Uint8Array): Promise<string> {
  const { status, body } = await getResult(at);
  expect(status, inspect(body)).toBe(200);
  const back = await download(body.Hash, { endpoints: devnet().endpoints });
  expect(Buffer.compare(back, bytes)).toBe(0);
  expect(await listStored(body.Hash)).toHaveLength(1);
  return body.Hash;
}

/** Sends 10 of 100 bytes, and nothing more until the test ends. */
function sendTenOfHundred(at: string): void {
  const headers = {
    "Tus-Resumable": "1.0.0",
    "Upload-Offset": 0,
    "Content-Type": "application/offset+octet-stream",
    "Content-Length": 100,
  };
  const stalled = startHttp(at, { method: "PATCH", headers });
  onTestFinished(() => void stalled.destroy());
  stalled.on("error", () => undefined);
  stalled.write(new Uint8Array(10));
}

describe("a resumable upload", () => {
  test("in parts, by a client of the protocol, is stored once, and its bytes do not stay here", async () => {
    const { url, errors } = await serve();
    const bytes = randomBytes(20 * MIB + 7);
    const at = await uploadByClient(url, bytes, metadata, 3 * MIB);
    await expectStored(at, bytes);
    expect((await getResult(at)).body).toMatchObject({ Name: "film.bin", Size: expect.any(String) });
    const [id = ""] = await readdir(folder);
    expect(at.endsWith(`/${id}`)).toBe(true);
    expect(await readdir(join(folder, id))).not.toContain("bytes");
    expect(errors).toEqual([]);
  });

  test("is continued after its connection was cut, from what has arrived", async () => {
    const { url } = await serve();
    const bytes = randomBytes(30 * MIB);
    const { at } = await create(url, bytes.length, metadata);
    let cuts = 0;
    for (let offset = 0; offset < bytes.length; offset = await readOffset(at)) {
      expect(offset).toBeLessThanOrEqual(bytes.length);
      if (cuts++ === 4) {
        expect((await patch(at, offset, bytes.subarray(offset))).status).toBe(204);
        break;
      }
      const request = startHttp(at, {
        method: "PATCH",
        headers: {
          "Tus-Resumable": "1.0.0",
          "Upload-Offset": offset,
          "Content-Type": "application/offset+octet-stream",
          "Content-Length": bytes.length - offset,
        },
      });
      const ended = once(request, "error");
      request.write(bytes.subarray(offset, offset + 5 * MIB), () => request.destroy(new Error("cut")));
      await ended;
    }
    await expectStored(at, bytes);
  });

  test("of encrypted bytes is stored as such, under the name that it was given", async () => {
    const { url } = await serve({ limits: { types: ["image/*", "application/octet-stream"] } });
    const bytes = randomBytes(1_000);
    const facts = { filename: "f00d", filetype: "image/png", encryption: "true" };
    const at = await uploadByClient(url, bytes, facts, MIB);
    const cid = await expectStored(at, bytes);
    expect((await listStored(cid))[0]).toMatchObject({ fileName: "f00d", encryption: true });
  });

  test("of no bytes at all is stored, and bytes that come with the first request are not taken", async () => {
    const { url } = await serve();
    const { at } = await create(url, 0, { filename: "empty" });
    expect((await getResult(at)).status).toBe(200);
    const response = await tus(
      "POST",
      url,
      {
        "Upload-Length": "1000",
        "Upload-Metadata": `filename ${btoa("first.bin")}`,
        "Content-Type": "application/offset+octet-stream",
      },
      new Uint8Array(1_000),
    );
    expect(response.status).toBe(201);
    expect(await readOffset(new URL(response.headers.get("location") ?? "", url).href)).toBe(0);
  });

  test("of no bytes whose response was lost is stored once, though its client creates it again", async () => {
    const { url } = await serve();
    const facts = { filename: "nothing.txt", lastModified: "1" };
    const mine = { Authorization: "Bearer mine" };
    const [first, again] = [await create(url, 0, facts, mine), await create(url, 0, facts, mine)];
    const others = [
      await create(url, 0, facts, { Authorization: "Bearer other" }),
      await create(url, 0, { ...facts, lastModified: "2" }, mine),
    ];
    expect([first, again, ...others].map(({ response }) => response.status)).toEqual([201, 201, 201, 201]);
    const { body } = await getResult(first.at);
    for (const { at } of [again, ...others]) expect((await getResult(at)).body.Hash).toBe(body.Hash);
    const isMine = ({ fileName }: ListedFile) => fileName === "nothing.txt";
    expect((await listStored(body.Hash)).filter(isMine)).toHaveLength(3);
  });

  test("is stored in the class that it names, if that is allowed", async () => {
    const { url } = await serve({ limits: { storage: ["walrus"] } });
    const { at } = await create(url, 3, { ...metadata, storage: "walrus" });
    await patch(at, 0, new Uint8Array(3));
    const { body } = await getResult(at);
    const own = { apiKey, endpoints: devnet().endpoints, storage: "walrus" };
    const listed: string[] = [];
    for await (const { cid } of iterateFiles(own)) listed.push(cid);
    expect(listed).toContain(body.Hash);
    expect((await create(url, 3, { ...metadata, storage: "annual" })).response.status).toBe(403);
  });

  test("has an address that a proxy does not change", async () => {
    const { url } = await serve();
    for (const asked of [url, `${url}/`, `${url}?album=3/`, `${url}/?album=3`]) {
      const { response, at } = await create(asked, 1, metadata, { "X-Forwarded-Proto": "https, http" });
      expect(response.headers.get("location")).not.toMatch(/^(?:https?:)?\//);
      expect(new URL(at).pathname).toMatch(/^\/api\/uploads\/[0-9a-f]{32}$/);
      expect(await readOffset(at)).toBe(0);
    }
  });

  test("that is not complete can be removed, and one that is cannot", async () => {
    const { url } = await serve();
    const { at } = await create(url, 4, metadata);
    await patch(at, 0, new Uint8Array(2));
    expect((await tus("DELETE", at)).status).toBe(204);
    expect((await tus("HEAD", at)).status).toBe(404);
    expect(await readdir(folder)).toEqual([]);
    const { at: other } = await create(url, 4, metadata);
    await patch(other, 0, new Uint8Array(4));
    expect((await tus("DELETE", other)).status).toBe(400);
    expect((await getResult(other)).status).toBe(200);
  });

  test("has the type that it says, and nothing else of it", async () => {
    const { url } = await serve();
    for (const filetype of ["text/plain\r\nX: y\r\n\r\nmore bytes", "application/x-directory", "no type"]) {
      const bytes = randomBytes(100);
      const at = await uploadByClient(url, bytes, { ...metadata, filetype }, MIB);
      await expectStored(at, bytes);
    }
  });

  test("may be ended by a request without bytes", async () => {
    const { url } = await serve();
    const { at } = await create(url, 4, metadata);
    await patch(at, 0, new Uint8Array(4));
    await getResult(at);
    expect((await patch(at, 4, new Uint8Array())).status).toBe(204);
  });

  test("is private to this user of the machine", async () => {
    const { url } = await serve();
    await create(url, 4, metadata);
    const [id = ""] = await readdir(folder);
    expect((await stat(join(folder, id))).mode & 0o077).toBe(0);
    for (const name of await readdir(join(folder, id))) {
      expect((await stat(join(folder, id, name))).mode & 0o077, name).toBe(0);
    }
  });
});

describe("the network fails", () => {
  test("an outage is waited for", async () => {
    const { url, errors } = await serve();
    const bytes = randomBytes(1_000);
    const restore = devnet().faults.add({ service: "upload", action: { kind: "respond", status: 503 } });
    const at = await uploadByClient(url, bytes, metadata, MIB);
    await eventually(() => expect(errors).toHaveLength(1));
    expect((await fetch(at)).status).toBe(202);
    restore();
    await expectStored(at, bytes);
  });

  test("what was stored though its response was lost is not stored again", async () => {
    const { url, errors } = await serve();
    const bytes = randomBytes(1_000);
    devnet().faults.add({ service: "upload", action: { kind: "cut", atByte: 0 }, times: 1 });
    const at = await uploadByClient(url, bytes, metadata, MIB);
    await expectStored(at, bytes);
    expect(errors).toHaveLength(1);
  });

  test("nor if the listing of the account does not have it at first", async () => {
    const { url, errors } = await serve();
    const bytes = randomBytes(1_000);
    devnet().faults.add({ service: "upload", action: { kind: "cut", atByte: 0 }, times: 1 });
    const json = { fileList: [], totalFiles: 0 };
    devnet().faults.add({
      service: "api",
      path: "/api/user/files_uploaded",
      action: { kind: "respond", status: 200, json },
      times: 1,
    });
    const { body } = await getResult(await uploadByClient(url, bytes, metadata, MIB));
    expect(await listStored(body.Hash)).toHaveLength(1);
    expect(errors).toHaveLength(1);
  });

  test("nor is it if the same file was stored by another upload an hour before", async () => {
    const { url, errors } = await serve();
    const bytes = randomBytes(1_000);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() - 3_600_000 });
    onTestFinished(() => void vi.useRealTimers());
    const { body } = await getResult(await uploadByClient(url, bytes, metadata, MIB));
    vi.useRealTimers();
    devnet().faults.add({ service: "upload", action: { kind: "respond", status: 500, served: true }, times: 1 });
    expect((await getResult(await uploadByClient(url, bytes, metadata, MIB))).body.Hash).toBe(body.Hash);
    expect(errors).toHaveLength(1);
    expect(await listStored(body.Hash)).toHaveLength(2);
  });

  test("a file that was just stored by another upload is stored again", async () => {
    const { url } = await serve();
    const bytes = randomBytes(1_000);
    const { body } = await getResult(await uploadByClient(url, bytes, metadata, MIB));
    devnet().faults.add({ service: "upload", action: { kind: "respond", status: 503 }, times: 1 });
    const at = await uploadByClient(url, bytes, metadata, MIB);
    expect((await getResult(at)).body.Hash).toBe(body.Hash);
    expect(await listStored(body.Hash)).toHaveLength(2);
  });

  test("what the network refuses for good is not sent again", async () => {
    const node = await createServer((_, response) => response.writeHead(415).end("{}"));
    const { url, errors } = await serve({ endpoints: endpointsAt(node.url) });
    const at = await uploadByClient(url, randomBytes(10), metadata, MIB);
    for (let time = 0; time < 3; time++) expect((await getResult(at)).status).toBe(502);
    expect([node.requests.length, errors.length]).toEqual([1, 1]);
    const [id = ""] = await readdir(folder);
    expect(await readdir(join(folder, id))).toContain("bytes");
  });

  test("the same bytes, stored long before, are stored again", async () => {
    const { url } = await serve();
    const bytes = randomBytes(1_000);
    const first = await uploadByClient(url, bytes, metadata, MIB);
    const { body } = await getResult(first);
    await getResult(await uploadByClient(url, bytes, metadata, MIB));
    expect(await listStored(body.Hash)).toHaveLength(2);
  });

  test("a server that stores other bytes is not believed, and does not get the file again", async () => {
    const lie = { Name: "film.bin", Hash: "bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e", Size: "1" };
    const isUpload = (path: string) => path.startsWith("/api/v0/add");
    const node = await createServer((request, response) =>
      isUpload(request.path) ? sendJson(response, lie) : response.writeHead(410).end(),
    );
    const { url, errors } = await serve({ endpoints: endpointsAt(node.url) });
    const at = await uploadByClient(url, randomBytes(1_000), metadata, MIB);
    // Nothing proves that these are the bytes of the file: no gateway has any.
    for (let time = 0; time < 2; time++) expect((await getResult(at)).status).toBe(502);
    expect(errors.length).toBeGreaterThan(0);
    expect(node.requests.filter(({ path }) => isUpload(path))).toHaveLength(1);
    // What a gateway refuses is not what the upload node has refused.
    const [id = ""] = await readdir(folder);
    const record = JSON.parse(await readFile(join(folder, id, "record.json"), "utf8"));
    expect(record).toMatchObject({ answered: { Hash: lie.Hash } });
    expect(record).not.toHaveProperty("refused");
  });

  test("an account that may not store says so, without a word of the account", async () => {
    const key = "key-7f3a9c1e5b20d864";
    const node = await createServer((_, response) => response.writeHead(402).end(`{"error":"no room for ${key}"}`));
    const { url, errors } = await serve({ apiKey: key, endpoints: endpointsAt(node.url) });
    const at = await uploadByClient(url, randomBytes(10), metadata, MIB);
    const { status, body } = await getResult(at);
    expect(status).toBe(502);
    expect(`${inspect(body)} ${inspect(errors, { depth: 9 })}`).not.toContain(key);
  });
});

describe("processes that share a folder", () => {
  test("store an upload once, whichever is asked for it, and continue each other's uploads", async () => {
    const servers = await Promise.all([serve(), serve(), serve()]);
    const bytes = randomBytes(3 * MIB);
    const { at } = await create(servers[0]?.url ?? "", bytes.length, metadata);
    const id = at.split("/").at(-1);
    const urls = servers.map(({ url }) => `${url}/${id}`);
    for (const [index, each] of urls.entries()) {
      expect((await patch(each, index * MIB, bytes.subarray(index * MIB, (index + 1) * MIB))).status).toBe(204);
    }
    await Promise.all(urls.map((each) => expectStored(each, bytes)));
  });

  test("end their requests for each other's newer ones", async () => {
    const [one, other] = await Promise.all([serve(), serve()]);
    const { at } = await create(one.url, 100, metadata);
    sendTenOfHundred(at);
    await eventually(() => expect(one.requests).toHaveLength(2));
    const there = `${other.url}/${at.split("/").at(-1)}`;
    expect(await readOffset(there)).toBe(10);
    expect((await patch(there, 10, new Uint8Array(90))).status).toBe(204);
    expect((await getResult(there)).status).toBe(200);
  });

  test("take over what another one was storing when it ended", async () => {
    const { url } = await serve();
    const { at } = await create(url, 4, metadata);
    const lock = await takeLock(join(folder, at.split("/").at(-1) ?? ""), "storing");
    await patch(at, 0, new Uint8Array(4));
    expect((await fetch(at)).status).toBe(202);
    await lock?.release();
    const { stored } = await eventually(async () => {
      const record = JSON.parse(await readFile(join(folder, at.split("/").at(-1) ?? "", "record.json"), "utf8"));
      expect(record).toHaveProperty("stored");
      return record;
    });
    expect(stored).toMatchObject({ Name: "film.bin" });
  });

  test("what was complete when a process ended is stored by the next one", async () => {
    const restore = devnet().faults.add({ service: "upload", action: { kind: "respond", status: 401 } });
    const { url } = await serve();
    const bytes = randomBytes(1_000);
    const at = await uploadByClient(url, bytes, metadata, MIB);
    expect((await getResult(at)).status).toBe(502);
    restore();
    const next = createResumableHandler({ apiKey, endpoints: devnet().endpoints, folder, authorize: () => true });
    await next.resume();
    await eventually(async () => {
      const response = await next(new Request(at));
      expect(response.status).toBe(200);
    });
  });
});

describe("refuses", () => {
  const announced: [string, number | string, Record<string, string>, number][] = [
    ["more bytes than allowed", 1_001, { filename: "a.png", filetype: "image/png" }, 413],
    ["a type that is not accepted", 10, { filename: "a.html", filetype: "text/html" }, 415],
    ["a name with the extension of another type", 10, { filename: "a.html", filetype: "image/png" }, 415],
    ["a path", 10, { filename: "sub/a.png", filetype: "image/png" }, 403],
    ["a path that leads out", 10, { filename: "../a.png", filetype: "image/png" }, 400],
    ["a control character in a name", 10, { filename: "a\n.png", filetype: "image/png" }, 400],
    ["no name", 10, { filetype: "image/png" }, 400],
    ["a storage class", 10, { filename: "a.png", filetype: "image/png", storage: "walrus" }, 403],
    ["a length that is no number", "ten", { filename: "a.png", filetype: "image/png" }, 400],
    ["a length in another form", "1e+21", { filename: "a.png", filetype: "image/png" }, 400],
    ["a negative length", -1, { filename: "a.png", filetype: "image/png" }, 400],
  ];
  test.each(announced)("%s before a byte is sent", async (_, length, facts, status) => {
    const { url } = await serve({ limits: { maxBytes: 1_000, types: ["image/*"] } });
    const { response } = await create(url, length, facts);
    expect(response.status).toBe(status);
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(await response.json()).toMatchObject({ error: { message: expect.any(String) } });
    expect(await readdir(folder).catch(() => [])).toEqual([]);
  });

  test("bytes that are not of the type that was announced, for good", async () => {
    const { url } = await serve({ limits: { types: ["image/*"] } });
    const bytes = Buffer.from("<script>alert(1)</script>");
    const at = await uploadByClient(url, bytes, { filename: "a.png", filetype: "image/png" }, MIB);
    for (let time = 0; time < 2; time++) {
      const { status, body } = await getResult(at);
      expect([status, body.error?.code]).toEqual([415, "UPLOAD_REFUSED"]);
    }
    const [id = ""] = await readdir(folder);
    expect(await readdir(join(folder, id))).not.toContain("bytes");
    expect(await readOffset(at)).toBe(bytes.length);
  });

  test("bytes at another place than the next one, and more than were announced", async () => {
    const { url } = await serve();
    const { at } = await create(url, 10, metadata);
    await patch(at, 0, new Uint8Array(5));
    expect((await patch(at, 4, new Uint8Array(1))).status).toBe(409);
    expect((await patch(at, 6, new Uint8Array(1))).status).toBe(409);
    expect((await patch(at, 5, new Uint8Array(6))).status).toBe(413);
    expect(await readOffset(at)).toBe(5);
  });

  test("an upload that nobody has created, and what is no id at all", async () => {
    const { url } = await serve();
    await create(url, 4, metadata);
    await writeFile(join(folder, "record.json"), JSON.stringify({ version: 1, size: 1, metadata: {}, limits: {} }));
    for (const id of ["0".repeat(32), ".", "..%2f", "%2e%2e", "record.json"]) {
      for (const method of ["GET", "HEAD", "PATCH", "DELETE"]) {
        expect((await tus(method, `${url}/${id}`)).status, `${method} ${id}`).toBe(404);
      }
    }
  });

  test("each request that authorize does not accept, which sees the metadata", async () => {
    const seen: (string | File | null)[] = [];
    const { url } = await serve({
      authorize: async (request, form) => {
        seen.push((await form.fields()).get("album"));
        if (request.headers.get("authorization") === "Bearer later") return new Response("Sign in", { status: 401 });
        return request.headers.get("authorization") === "Bearer mine" && { maxBytes: 100 };
      },
    });
    const mine = { Authorization: "Bearer mine" };
    const { at } = await create(url, 3, { ...metadata, album: "3" }, mine);
    for (const method of ["GET", "HEAD", "PATCH", "DELETE"]) {
      expect((await tus(method, at)).status, method).toBe(403);
      expect((await tus(method, at, { Authorization: "Bearer later" })).status, method).toBe(401);
    }
    expect((await create(url, 3, metadata)).response.status).toBe(403);
    expect((await create(url, 101, metadata, mine)).response.status).toBe(413);
    expect((await patch(at, 0, new Uint8Array(3), mine)).status).toBe(204);
    expect(new Set(seen)).toEqual(new Set(["3", null]));
  });

  test("who is not authorized in the same way, whether there is such an upload or not", async () => {
    const { url } = await serve({ authorize: ({ headers }) => headers.get("authorization") === "Bearer mine" });
    const mine = { Authorization: "Bearer mine" };
    const { at } = await create(url, 3, metadata, mine);
    for (const method of ["GET", "HEAD", "PATCH", "DELETE"]) {
      const responses = [await tus(method, at), await tus(method, `${url}/${"0".repeat(32)}`)];
      expect(
        responses.map(({ status }) => status),
        method,
      ).toEqual([403, 403]);
      expect((await tus(method, `${url}/${"0".repeat(32)}`, mine)).status, method).toBe(404);
    }
  });

  test("pages of other sites, but not those of an allowed origin", async () => {
    const { url } = await serve({ allowedOrigins: ["https://app.example"] });
    const { at } = await create(url, 3, metadata);
    for (const method of ["POST", "GET", "HEAD", "PATCH", "DELETE"]) {
      const response = await tus(method, at, { Origin: "https://evil.example" });
      expect(response.status, method).toBe(403);
      expect(response.headers.get("access-control-allow-origin")).toBe(null);
    }
    const preflight = await fetch(url, { method: "OPTIONS", headers: { Origin: "https://app.example" } });
    expect(preflight.headers.get("access-control-allow-origin")).toBe("https://app.example");
    expect(preflight.headers.get("access-control-allow-methods")).toContain("PATCH");
    expect(preflight.headers.get("access-control-allow-headers")).toContain("Upload-Offset");
    const read = await tus("HEAD", at, { Origin: "https://app.example" });
    expect(read.headers.get("access-control-expose-headers")).toContain("Upload-Offset");
    expect((await create(url, 3, metadata, { Origin: "https://app.example" })).response.status).toBe(201);
  });

  test("everything while the server has no API key, without a word of it", async () => {
    const { url, errors } = await serve({ apiKey: "" });
    expect((await create(url, 3, metadata)).response.status).toBe(500);
    expect(errors[0]).toMatchObject({ code: "MISSING_API_KEY" });
  });

  test("a folder that is none when the handler is created", () => {
    const options = { apiKey, authorize: () => true, folder: "" };
    expect(() => createResumableHandler(options)).toThrow(KeeplightError);
  });
});

describe("time", () => {
  test("what waits, or has ended, for too long is removed, and what waits for the network is not", async () => {
    const restore = devnet().faults.add({ service: "upload", action: { kind: "respond", status: 503 } });
    const { url } = await serve({ maxAgeMs: 300 });
    const bytes = randomBytes(100);
    const complete = await uploadByClient(url, bytes, metadata, MIB);
    const { response, at } = await create(url, 4, metadata);
    expect(Date.parse(response.headers.get("upload-expires") ?? "")).toBeGreaterThan(Date.now() - 2_000);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    await create(url, 4, metadata);
    expect((await tus("HEAD", at)).status).toBe(404);
    restore();
    await expectStored(complete, bytes);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    await create(url, 4, metadata);
    expect((await fetch(complete)).status).toBe(404);
  });

  test("a client that sends nothing more keeps what it has sent, and frees the upload", async () => {
    const { url } = await serve({ limits: { idleTimeoutMs: 300 } });
    const { at } = await create(url, 100, metadata);
    sendTenOfHundred(at);
    await eventually(async () => expect(await readOffset(at)).toBe(10));
    expect((await patch(at, 10, new Uint8Array(90))).status).toBe(204);
    expect((await getResult(at)).status).toBe(200);
  });
});

test("a record that is damaged stops nothing but its own upload", async () => {
  const { url, errors } = await serve({ maxAgeMs: 200 });
  const { at: damaged } = await create(url, 4, metadata);
  await writeFile(join(folder, damaged.split("/").at(-1) ?? "", "record.json"), "{");
  expect((await fetch(damaged)).status).toBe(500);
  const bytes = randomBytes(10);
  await expectStored(await uploadByClient(url, bytes, metadata, MIB), bytes);
  expect(errors.length).toBeGreaterThan(0);
});

test("a request has its upload until nothing of it is written any more", async () => {
  const spool = openSpool(folder);
  const locker = createLocker(spool);
  const { url } = await serve();
  const { at } = await create(url, 100, metadata);
  const id = at.split("/").at(-1) ?? "";
  const lock = locker.newLock(id);
  await lock.lock(new AbortController().signal, () => undefined);
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  async function* chunks() {
    yield new Uint8Array(10);
    await ended;
    throw new Error("cut");
  }
  const writing = spool.write(id, 0, chunks()).catch(() => "cut");
  let isUnlocked = false;
  const unlocking = lock.unlock().then(() => {
    isUnlocked = true;
  });
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(isUnlocked).toBe(false);
  end();
  await unlocking;
  expect([await writing, await readOffset(at)]).toEqual(["cut", 10]);
});

test("bytes of a refused file are no longer open", { skip: process.platform !== "linux" }, async () => {
  const { url } = await serve({ limits: { types: ["image/*"] } });
  const at = await uploadByClient(url, Buffer.alloc(2 * MIB), { filename: "a.png", filetype: "image/png" }, MIB);
  expect((await getResult(at)).status).toBe(415);
  const open = await Promise.all(
    (await readdir("/proc/self/fd")).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => "")),
  );
  expect(open.filter((path) => path.startsWith(folder))).toEqual([]);
});

test("a record is written before a byte is sent, and says nothing secret", async () => {
  const { url } = await serve();
  await create(url, 4, metadata);
  const [id = ""] = await readdir(folder);
  const record = await readFile(join(folder, id, "record.json"), "utf8");
  expect(JSON.parse(record)).toMatchObject({ version: 1, size: 4, metadata });
  expect(record).not.toContain(apiKey);
});
