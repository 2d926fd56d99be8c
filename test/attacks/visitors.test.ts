import { expect, onTestFinished, test } from "vitest";
import type { UploadHandlerOptions } from "../../packages/server/src/index.ts";
import { serveUploads } from "../../packages/server/test/endpoint.ts";
import { END, filePart, sendForm } from "../../packages/server/test/raw-client.ts";
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
