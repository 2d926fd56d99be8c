import { expect, test, vi } from "vitest";
import { upload } from "../../src/index.ts";
import type { UploadHandlerOptions } from "../../src/server/index.ts";
import { failure } from "../support/failure.ts";
import { createGate } from "../support/gate.ts";
import { createServer, sendJson, type TestServer } from "../support/http-server.ts";
import { parseMultipart } from "../support/multipart.ts";
import { type Endpoint, serveUploads } from "./endpoint.ts";
import { BOUNDARY, END, filePart, part, sendForm, startRequest } from "./raw-client.ts";

const stored = { Name: "x", Hash: "bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e", Size: "1" };

interface Rig extends Endpoint {
  node: TestServer;
}

async function serve(options: Partial<UploadHandlerOptions> = {}): Promise<Rig> {
  const node = await createServer((_, response) => sendJson(response, stored));
  const { url: base } = node;
  const endpoints = { api: base, upload: base, gateway: base, keyNodes: base };
  return { node, ...(await serveUploads({ endpoints, ...options })) };
}

test("a body that announces too much is refused before it is read", async () => {
  const { url, node } = await serve({ limits: { maxBytes: 1_000 } });
  const { response } = await startRequest(url, ["Content-Length: 99999999999"]);
  // Not a byte of the body was sent.
  expect(await response).toMatch(/^HTTP\/1.1 413 [\s\S]*"code":"FILE_TOO_LARGE"/);
  expect(node.requests).toEqual([]);
});

test("bytes are counted if the announced length is lower than the limit, or there is none", async () => {
  const { url } = await serve({ limits: { maxBytes: 50_000 } });
  const file = filePart("a.txt", "x".repeat(51_000));
  expect(await sendForm(url, file + END)).toMatchObject({ status: 413, error: { code: "FILE_TOO_LARGE" } });
  const { socket, response } = await startRequest(url, ["Transfer-Encoding: chunked"]);
  // It does not end: the last bytes might be those of a boundary.
  socket.write(`${file.length.toString(16)}\r\n${file}\r\n`);
  expect(await response).toMatch(/^HTTP\/1.1 413 /);
});

test("exactly as many bytes and files as the limits allow are accepted, over all files", async () => {
  const { url } = await serve({ limits: { maxBytes: 10, maxFiles: 2 } });
  const two = filePart("a", "12345") + filePart("b", "67890");
  expect((await sendForm(url, two + END)).status).toBe(200);
  expect((await sendForm(url, filePart("a", "12345") + filePart("b", "678901") + END)).status).toBe(413);
  const three = await sendForm(url, filePart("a", "1") + filePart("b", "2") + filePart("c", "3") + END);
  expect(three).toMatchObject({
    status: 413,
    error: { code: "UPLOAD_REFUSED", details: { reason: "count", limit: 2 } },
  });
});

test("of 10,000 parts, no more are read than the limit allows", async () => {
  const { url } = await serve({ limits: { maxBytes: 1e9 } });
  const body = Array.from({ length: 10_000 }, (_, at) => filePart(`${at}.txt`)).join("") + END;
  expect(await sendForm(url, body)).toMatchObject({ status: 413, error: { code: "UPLOAD_REFUSED" } });
  const many = await serve({ limits: { maxFiles: 10_000 } });
  expect((await sendForm(many.url, body)).status).toBe(200);
  expect(
    await parseMultipart(many.node.requests[0]?.headers ?? {}, many.node.requests[0]?.body ?? Buffer.alloc(0)),
  ).toHaveLength(10_000);
});

const names = [
  ["../a.txt"],
  ["a/../../b.txt"],
  ["/etc/passwd"],
  ["a//b"],
  ["a/./b"],
  ["..\\..\\a.txt"],
  ["%2e%2e/a.txt"],
  ["..%2fa.txt"],
  ["a%0d%0aX-Injected: 1"],
  ["a%0D%0AContent-Type: text/html"],
  ["a\tb"],
  ["a\u0000b"],
  ["a%00b"],
  ["gnp\u202e.exe"],
  [""],
  ["."],
  ["x".repeat(256)],
  ["é".repeat(128)],
  [`${"a/".repeat(2_100)}b`],
];
test.each(names)("the file name %j is refused, and never sent", async (name) => {
  const { url, node } = await serve();
  expect(await sendForm(url, filePart(name) + END)).toMatchObject({ status: 400, error: { code: "INVALID_SOURCE" } });
  expect(node.requests).toEqual([]);
});

test("names, types and headers arrive as they were checked, and nothing besides", async () => {
  const { url, node } = await serve();
  const odd = `--${BOUNDARY}\r\nX-Other: 1\r\ncontent-disposition:form-data; name="file"; filename="a %22b%22 é+.txt"\r\nContent-Type: text/html; charset=x\r\n\r\n1\r\n`;
  const headers = { Cookie: "session=1", "X-Storage-Type": "x", Encryption: "yes", "Mime-Type": "text/html" };
  const wrong = filePart("b", "2", 'x/y"\r\nX-Injected: 1');
  expect(
    (await sendForm(`${url}?cid-version=0&wrap-with-directory=true&pin=0`, odd + wrong + END, headers)).status,
  ).toBe(200);
  const [request] = node.requests;
  expect(request?.query).toEqual({ "cid-version": "0", "wrap-with-directory": "true" });
  expect(request?.headers).toMatchObject({ authorization: "Bearer the-api-key" });
  const allowed = [
    "accept-encoding",
    "authorization",
    "connection",
    "content-type",
    "host",
    "transfer-encoding",
    "user-agent",
  ];
  expect(Object.keys(request?.headers ?? {}).filter((name) => !allowed.includes(name))).toEqual([]);
  expect(request?.body.toString()).not.toMatch(/X-(Other|Injected)/);
  expect(await parseMultipart(request?.headers ?? {}, request?.body ?? Buffer.alloc(0))).toEqual([
    { field: "file", filename: 'a "b" é+.txt', type: "text/html", bytes: Buffer.from("1") },
    { field: "file", filename: "b", type: "application/octet-stream", bytes: Buffer.from("2") },
  ]);
});

test("two files of one name are refused, even if only the upload node reads them as one", async () => {
  const { url } = await serve();
  for (const [first, second] of [
    ["a", "a"],
    ["a b", "a+b"],
    ["a", "%61"],
  ] as const) {
    const result = await sendForm(url, filePart(first) + filePart(second) + END);
    expect(result).toMatchObject({ status: 400, error: { code: "DUPLICATE_NAME" } });
  }
});

const malformed: [string, string][] = [
  ["no body", ""],
  ["no part", END],
  ["text before it", `preamble\r\n${filePart("a")}${END}`],
  ["no end", filePart("a")],
  ["an end within a head", `--${BOUNDARY}\r\nContent-Disposition: form-data`],
  ["a head without end", `--${BOUNDARY}\r\n${"X-A: b\r\n".repeat(10_000)}`],
  ["a field", part('form-data; name="title"') + END],
  ["another field with a file", part('form-data; name="other"; filename="a"') + END],
  ["two dispositions", filePart('a"\r\nContent-Disposition: form-data; name="file"; filename="b') + END],
  ["an encoded name", part("form-data; name=\"file\"; filename*=UTF-8''a") + END],
  ["an invalid header", `--${BOUNDARY}\r\n: x\r\n\r\n1\r\n${END}`],
  ["a long epilogue", filePart("a") + END + "x".repeat(2_000)],
];
test.each(malformed)("a form with %s is refused", async (_, body) => {
  const { url, errors } = await serve();
  expect(await sendForm(url, body)).toMatchObject({ status: 400, error: { code: "INVALID_SOURCE" } });
  expect(errors).toHaveLength(1);
});

test.each([
  ["application/json"],
  ["multipart/form-data"],
  ["multipart/form-data; boundary="],
  [`multipart/form-data; boundary=${"x".repeat(71)}`],
  ["multipart/form-data; boundary=a@b"],
  ["multipart/mixed; boundary=x"],
])("the type %s of a request is refused", async (type) => {
  const { url } = await serve();
  expect(await sendForm(url, filePart("a") + END, { "Content-Type": type })).toMatchObject({ status: 400 });
});

const png = "\x89PNG\r\n\x1a\n";
const latin1 = (text: string) => Buffer.from(text, "latin1");
const types: [string, string, string, string[], number][] = [
  ["a listed type", "image/png", png, ["image/png"], 200],
  ["a type of a listed group", "image/png", png, ["image/*"], 200],
  ["another type", "text/plain", "text", ["image/*"], 415],
  ["HTML that claims to be a picture", "image/png", "<script>alert(1)</script>", ["image/*"], 415],
  ["a picture that is none", "image/unknown", "<script>", ["image/*"], 415],
  ["a picture that may run scripts", "image/svg+xml", "<svg/>", ["image/*"], 415],
  ["the same, listed", "image/svg+xml", "<svg/>", ["image/*", "image/svg+xml"], 200],
  ["a type without signature", "text/plain", "text", ["text/*"], 200],
  ["an empty picture", "image/png", "", ["image/*"], 415],
  ["a short start", "image/png", "\x89PN", ["image/png"], 415],
  ["a film", "video/mp4", "\0\0\0\x18ftypmp42", ["video/*"], 200],
  ["no type", "", "x", ["image/*"], 415],
];
test.each(types)("types are limited: %s", async (_, type, body, accepted, status) => {
  const { url, node } = await serve({ limits: { types: accepted } });
  const result = await sendForm(url, latin1(filePart("a", body, type) + END));
  expect(result.status).toBe(status);
  if (status === 415) expect(result.error).toMatchObject({ code: "UPLOAD_REFUSED", details: { reason: "type" } });
  for (const { body: sent } of node.requests) expect(sent.includes(latin1(body))).toBe(status === 200);
});

test("an encrypted file has no type but that of bytes", async () => {
  const only = await serve({ limits: { types: ["image/*"] } });
  const headers = { Encryption: "true", "Mime-Type": "text/plain" };
  const form = latin1(filePart("a", png, "image/png") + END);
  expect((await sendForm(only.url, form, headers)).status).toBe(415);
  const both = await serve({ limits: { types: ["image/*", "application/octet-stream"] } });
  expect((await sendForm(both.url, form, headers)).status).toBe(200);
  expect(both.node.requests[0]?.headers).toMatchObject({ encryption: "true", "mime-type": "text/plain" });
});

test("a client that sends nothing, or a little now and then, is refused in time", async () => {
  const silent = await serve({ limits: { idleTimeoutMs: 50 } });
  const { response, socket } = await startRequest(silent.url, ["Content-Length: 1000"]);
  expect(await response).toMatch(/^HTTP\/1.1 504 [\s\S]*"code":"TIMEOUT"/);
  socket.destroy();
  expect(silent.node.requests).toEqual([]);

  const slow = await serve({ limits: { timeoutMs: 300 } });
  const trickle = await startRequest(slow.url, ["Transfer-Encoding: chunked"]);
  const start = filePart("a", "").slice(0, -2);
  trickle.socket.write(`${start.length.toString(16)}\r\n${start}\r\n`);
  const timer = setInterval(() => trickle.socket.write("1\r\nx\r\n"), 20);
  expect(await trickle.response).toMatch(/^HTTP\/1.1 504 [\s\S]*"code":"TIMEOUT"/);
  clearInterval(timer);
});

/** An endpoint whose network never responds; reports when the first bytes arrived there and when the request closed. */
async function serveToSilentNode() {
  const arrived = createGate();
  const closed = createGate();
  const { url: base } = await createServer(
    (_, __, incoming) => {
      incoming.once("data", () => arrived.reach());
      incoming.once("close", () => closed.reach());
      incoming.on("error", () => undefined);
    },
    { read: false },
  );
  const endpoint = await serveUploads({ endpoints: { api: base, upload: base, gateway: base, keyNodes: base } });
  return { ...endpoint, arrived: arrived.reached, closed: closed.reached };
}

test("a client that disconnects ends the request to the network", async () => {
  const { arrived, closed, url, errors } = await serveToSilentNode();
  const { socket } = await startRequest(url, ["Content-Length: 1000000"]);
  socket.write(filePart("a", "x".repeat(100_000)));
  await arrived;
  socket.destroy();
  await closed;
  await vi.waitFor(() => expect(errors).toMatchObject([{ code: "ABORTED" }]));
});

test("the abort of an upload ends the request to the network", async () => {
  const { arrived, closed, url } = await serveToSilentNode();
  const abort = new AbortController();
  async function* endless() {
    for (;;) yield new Uint8Array(65_536);
  }
  const uploading = failure(upload({ name: "a", stream: endless() }, { via: url, signal: abort.signal }));
  await arrived;
  abort.abort();
  expect((await uploading).code).toBe("ABORTED");
  await closed;
});

test("a network that takes nothing more stops the reading of the client's body", async () => {
  const node = await createServer(() => undefined, { read: false });
  const base = node.url;
  const { url } = await serveUploads({
    endpoints: { api: base, upload: base, gateway: base, keyNodes: base },
    limits: { idleTimeoutMs: 300, maxBytes: 1e12 },
  });
  let sent = 0;
  async function* endless() {
    for (;;) {
      sent += 65_536;
      yield new Uint8Array(65_536);
    }
  }
  const error = await failure(upload({ name: "a", stream: endless() }, { via: url }));
  expect(error.code).toMatch(/TIMEOUT|NETWORK/);
  expect(sent).toBeLessThan(100_000_000);
});

test("a refused request does not disturb the next one", async () => {
  const { url } = await serve({ limits: { maxBytes: 5 } });
  for (const size of [6, 5, 6, 5]) {
    const { status } = await sendForm(url, filePart("a", "x".repeat(size)) + END);
    expect(status).toBe(size > 5 ? 413 : 200);
  }
});
