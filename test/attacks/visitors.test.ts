import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { UploadHandlerOptions } from "../../packages/server/src/index.ts";
import type { ResumableHandlerOptions } from "../../packages/server/src/resumable/index.ts";
import { serveResumable, serveUploads } from "../../packages/server/test/endpoint.ts";
import { END, filePart, sendForm, startRequest } from "../../packages/server/test/raw-client.ts";
import { create, getResult, patch, readOffset, tus } from "../../packages/server/test/tus-client.ts";
import { eventually } from "../support/eventually.ts";
import { opaqueCid } from "../support/fixtures.ts";
import { createServer, endpointsAt, sendJson } from "../support/http-server.ts";

/** One's own server with an upload handler, and the upload node behind it. */
async function serve(options: Partial<UploadHandlerOptions>) {
  const node = await createServer((_, response) => sendJson(response, { Name: "x", Hash: opaqueCid, Size: "1" }));
  return { node, ...(await serveUploads({ endpoints: endpointsAt(node.url), ...options })) };
}

test("a visitor makes the log or the decision of one's own server fail", async () => {
  const unhandled: unknown[] = [];
  const listener = (reason: unknown) => void unhandled.push(reason);
  process.on("unhandledRejection", listener);
  onTestFinished(() => void process.off("unhandledRejection", listener));
  const onError = () => Promise.reject(new Error("the log is full"));
  const decisions: [UploadHandlerOptions["authorize"], status: number][] = [
    [() => false, 403],
    [(_, form) => form.fields() === undefined, 403],
    [() => Promise.reject(new Error("no database")), 500],
    [() => Response.error(), 500],
  ];
  for (const [authorize, status] of decisions) {
    const { url, node } = await serve({ authorize, onError, allowedOrigins: ["https://app.example"] });
    for (const body of [filePart("a") + END, "no form", ""]) {
      expect(await sendForm(url, body)).toMatchObject({ status });
    }
    expect(node.requests).toEqual([]);
  }
  expect(unhandled).toEqual([]);
});

test("a visitor uploads a page that claims to be a picture or a text", async () => {
  const { url, node } = await serve({ limits: { types: ["image/*", "text/plain", "application/octet-stream"] } });
  const page = "<script>alert(1)</script>";
  const files: [name: string, type: string, body: string][] = [
    ["index.html", "image/bmp", `BM${page}`],
    ["index.html", "image/gif", `GIF89a${page}`],
    ["a.txt", "text/plain", page],
    ["a", "application/octet-stream", ` ${page}`],
    ["index.html", "text/plain", `text ${page}`],
  ];
  for (const [name, type, body] of files) {
    const form = filePart(name, body, type) + END;
    expect(await sendForm(url, form)).toMatchObject({ status: 415, error: { code: "UPLOAD_REFUSED" } });
  }
  for (const { body } of node.requests) expect(body.includes(page)).toBe(false);
  expect((await sendForm(url, filePart("index.html", page) + END, { Encryption: "true" })).status).toBe(200);
});

test("a visitor has files stored as a site", async () => {
  const { url, node } = await serve({});
  for (const [query, name] of [
    ["?wrap-with-directory=true", "index.html"],
    ["", "site/index.html"],
    ["", "site%2findex.html"],
  ]) {
    const result = await sendForm(`${url}${query}`, filePart(String(name)) + END);
    expect(result).toMatchObject({ status: 403, error: { code: "UPLOAD_REFUSED" } });
  }
  expect(node.requests).toEqual([]);
});

/** The same with a handler of resumable uploads, and its folder. */
async function serveInParts(options: Partial<ResumableHandlerOptions>) {
  const folder = await mkdtemp(join(tmpdir(), "keeplight-test-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 30, retryDelay: 100 }));
  const node = await createServer((_, response) => sendJson(response, { Name: "x", Hash: opaqueCid, Size: "1" }));
  return { node, folder, ...(await serveResumable({ endpoints: endpointsAt(node.url), folder, ...options })) };
}

test("a visitor leaves uploads incomplete, or sends nothing more on an open connection", async () => {
  const { url, folder } = await serveInParts({ limits: { maxBytes: 100 }, maxAgeMs: 500 });
  expect((await create(url, 101, { filename: "a" })).response.status).toBe(413);
  const abandoned = await Promise.all(Array.from({ length: 20 }, () => create(url, 100, { filename: "a" })));
  await eventually(async () => expect(await readdir(folder)).toEqual([]));
  expect((await tus("HEAD", abandoned[0]?.at ?? "")).status).toBe(404);
  const patient = await serveInParts({ limits: { idleTimeoutMs: 200 } });
  const { at } = await create(patient.url, 100, { filename: "a" });
  const { response } = await startRequest(at, ["Tus-Resumable: 1.0.0", "Upload-Offset: 0", "Content-Length: 100"], {
    method: "PATCH",
    type: "application/offset+octet-stream",
  });
  expect(await response).toMatch(/^HTTP\/1\.1 504 /);
});

test("a visitor continues, reads or removes somebody else's upload", async () => {
  const { url, folder } = await serveInParts({ authorize: ({ headers }) => headers.get("authorization") === "mine" });
  const mine = { Authorization: "mine" };
  const { at } = await create(url, 4, { filename: "a" }, mine);
  const [id = ""] = await readdir(folder);
  expect(id).toMatch(/^[0-9a-f]{32}$/);
  for (const method of ["HEAD", "GET", "DELETE"]) expect((await tus(method, at)).status).toBe(403);
  expect((await patch(at, 0, new Uint8Array(4))).status).toBe(403);
  const others = ["0".repeat(32), id.slice(1), `${id}0`, id.toUpperCase(), "..", `..%2F${id}`, `${id}%2Frecord.json`];
  for (const other of others) expect((await tus("GET", `${url}/${other}`, mine)).status, other).toBe(404);
  expect((await patch(at, 0, new Uint8Array(4), mine)).status).toBe(204);
});

test("a visitor sends bytes of another type than announced, in parts", async () => {
  const { url, node } = await serveInParts({ limits: { types: ["image/*"] } });
  const page = new TextEncoder().encode("<script>alert(1)</script>");
  const { at } = await create(url, page.length, { filename: "a.png", filetype: "image/png" });
  for (let offset = 0; offset < page.length; offset = await readOffset(at)) {
    await patch(at, offset, page.slice(offset, offset + 7));
  }
  expect(await getResult(at)).toMatchObject({ status: 415, body: { error: { code: "UPLOAD_REFUSED" } } });
  expect(node.requests).toEqual([]);
});
