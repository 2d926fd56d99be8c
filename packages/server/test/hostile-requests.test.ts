import { expect, test, vi } from "vitest";
import { upload } from "../../../src/index.ts";
import { failure } from "../../../test/support/failure.ts";
import { createGate } from "../../../test/support/gate.ts";
import { createServer, sendJson, type TestServer } from "../../../test/support/http-server.ts";
import { parseMultipart } from "../../../test/support/multipart.ts";
import type { UploadHandlerOptions } from "../src/index.ts";
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

test.each([
  ["spaces before a line break", `X:${" ".repeat(8_000)}\n`],
  ["spaces within", `X: a${" ".repeat(15_000)}b\n`],
  ["colons", `${":".repeat(15_000)}`],
])("a part whose head is nothing but %s is refused, and holds nobody up", async (_, head) => {
  const { url, node } = await serve();
  const form = `--${BOUNDARY}\r\n${head}\r\n\r\n1\r\n${END}`;
  expect(await sendForm(url, form)).toMatchObject({ status: 400, error: { code: "INVALID_SOURCE" } });
  expect(node.requests).toEqual([]);
});

test("white space around the values of a part's head does not count", async () => {
  const { url, node } = await serve();
  const head = 'Content-Disposition: \t form-data; name="file"; filename="a.txt" \t\r\nContent-Type:text/plain  ';
  expect((await sendForm(url, `--${BOUNDARY}\r\n${head}\r\n\r\n1\r\n${END}`)).status).toBe(200);
  expect(node.requests).toHaveLength(1);
});

test("a storage class is passed on only if the limits have it, to the node that takes it", async () => {
  const walrus = await createServer((_, response) => sendJson(response, stored));
  const node = await createServer((_, response) => sendJson(response, stored));
  const endpoints = { upload: node.url, walrusUpload: walrus.url };
  const { url } = await serveUploads({ endpoints, limits: { storage: ["walrus", "annual"] } });
  const sendAs = (storage: string, more = {}) =>
    sendForm(url, filePart("a", "1") + END, { "X-Storage-Type": storage, ...more });
  for (const refused of ["lifetime", "Walrus", "annual, walrus", "constructor"])
    expect(await sendAs(refused)).toMatchObject({ status: 403, error: { code: "UPLOAD_REFUSED" } });
  expect([node.requests, walrus.requests]).toEqual([[], []]);
  for (const [storage, more] of [["annual"], ["walrus"], ["walrus", { Encryption: "true" }]] as const)
    expect((await sendAs(storage, more)).status).toBe(200);
  const classes = ({ requests }: typeof node) => requests.map(({ headers }) => headers["x-storage-type"]);
  expect([classes(node), classes(walrus)]).toEqual([["annual", "walrus"], ["walrus"]]);
});

test("names, types and headers arrive as they were checked, and nothing besides", async () => {
  const { url, node } = await serve({ limits: { folders: true } });
  const odd = `--${BOUNDARY}\r\nX-Other: 1\r\ncontent-disposition:form-data; name="file"; filename="a %22b%22 é+.txt"\r\nContent-Type: text/html; charset=x\r\n\r\n1\r\n`;
  const headers = { Cookie: "session=1", Encryption: "yes", "Mime-Type": "text/html" };
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
  ["a field only", part('form-data; name="title"') + END],
  ["an empty file input only", part('form-data; name="file"; filename=""', "") + END],
  ["a file without a name", part('form-data; name="file"; filename=""', "x") + filePart("a") + END],
  ["101 fields", part('form-data; name="a"').repeat(101) + filePart("a") + END],
  ["large fields", part('form-data; name="a"', "x".repeat(65_537)) + filePart("a") + END],
  ["large fields after its file", filePart("a") + part('form-data; name="a"', "x".repeat(40_000)).repeat(2) + END],
  ["an unnamed field", part("form-data") + END],
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
const gif = "GIF89a<script>alert(1)</script>";
const types: [string, string, string, string[], number, string?][] = [
  ["a page with the start of a picture", "image/bmp", "BM<html>", ["image/*"], 415, "index.html"],
  ["a page with the start and type of a picture", "image/gif", gif, ["image/*"], 415, "a.HTM"],
  ["a page whose name is encoded", "image/gif", gif, ["image/*"], 415, "a.%68tml"],
  ["a script with the start of a picture", "image/gif", gif, ["image/*"], 415, "a.gif.js"],
  ["a picture with an extension that may run scripts", "image/gif", gif, ["image/*"], 415, "a.svg"],
  ["a picture with an unknown extension", "image/gif", gif, ["image/*"], 415, "a.unknown"],
  ["the same, its type listed", "image/gif", gif, ["image/gif"], 200, "a.unknown"],
  ["a picture with another extension of the group", "image/png", png, ["image/*"], 200, "a.jpg"],
  ["a picture with its extension", "image/png", png, ["image/*"], 200, "a.b.PNG"],
  ["a page as bytes", "application/octet-stream", "<html>", ["image/*", "application/octet-stream"], 415, "a.html"],
  ["a page whose name is only its extension", "image/gif", gif, ["image/gif"], 415, ".html"],
  ["a page with the start of a film after a tag", "video/mp4", "<B> ftyp<script>", ["video/*"], 415],
  ["a page with the start of a film after a line feed", "video/mp4", "\n<B>ftyp<script>", ["video/*"], 415],
  ["a page with the start of a picture after a tag", "image/avif", "<B> ftypavif<script>", ["image/*"], 415],
  ["a page with the start of an old film", "video/quicktime", "<B> mdat<script>", ["video/*"], 415],
  ["a page with the other start of an old film", "video/quicktime", "<A> moov<script>", ["video/*"], 415],
  ["an old film", "video/quicktime", "\x01\x20\0\0mdat", ["video/*"], 200],
  ["a page as text without an extension", "text/plain", "<script>", ["text/plain"], 415],
  ["a page as text with its extension", "text/plain", "<script>", ["text/plain"], 415, "a.txt"],
  ["a page as text after white space", "text/plain", `${"\r\n ".repeat(1_000)}<html>`, ["text/plain"], 415],
  ["a page as text after a mark", "text/plain", "\xef\xbb\xbf<!-- -->", ["text/plain"], 415, "a.unknown"],
  ["a page as bytes without an extension", "application/octet-stream", "<b>", ["application/octet-stream"], 415],
  ["the same where pages are listed", "text/plain", "<b>", ["text/plain", "text/html"], 200],
  ["the same as XML", "application/xml", "<?xml ?>", ["application/xml"], 200, "a.xml"],
  ["a text without an extension", "text/plain", " 1 < 2", ["text/plain"], 200],
  ["any extension", "image/png", png, ["*/*"], 200, "a.html"],
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
test.each(types)("types are limited: %s", async (_, type, body, accepted, status, name = "a") => {
  const { url, node } = await serve({ limits: { types: accepted } });
  const result = await sendForm(url, latin1(filePart(name, body, type) + END));
  expect(result.status).toBe(status);
  if (status === 415) expect(result.error).toMatchObject({ code: "UPLOAD_REFUSED", details: { reason: "type" } });
  for (const { body: sent } of node.requests) expect(sent.includes(latin1(body))).toBe(status === 200);
});

test.each([
  ["wrap-with-directory=true", "a.png"],
  ["", "a/index.png"],
  ["", "a%2findex.png"],
])("a folder (%j, %j) is stored only if the limits allow it", async (query, name) => {
  const form = filePart(name) + END;
  const refused = await serve();
  expect(await sendForm(`${refused.url}?${query}`, form)).toMatchObject({
    status: 403,
    error: { code: "UPLOAD_REFUSED", details: { reason: "folder" } },
  });
  expect(refused.node.requests).toEqual([]);
  const allowed = await serve({ limits: { folders: true } });
  expect((await sendForm(`${allowed.url}?${query}`, form)).status).toBe(200);
});

test("a form of HTML may have texts, empty inputs, and any field names", async () => {
  const { url, node } = await serve();
  const body =
    part('form-data; name="csrf"', "token") +
    part('form-data; name="photo"; filename=""', "", "application/octet-stream") +
    part('form-data; name="letter"; filename="a.txt"', "1") +
    part('form-data; name="submit"', "Send") +
    part('form-data; name="other"; filename="b.txt"', "2") +
    END;
  expect((await sendForm(url, body)).status).toBe(200);
  const [request] = node.requests;
  const sent = await parseMultipart(request?.headers ?? {}, request?.body ?? Buffer.alloc(0));
  expect(sent.map(({ field, filename, bytes }) => [field, filename, bytes.toString()])).toEqual([
    ["file", "a.txt", "1"],
    ["file", "b.txt", "2"],
  ]);
});

test("authorize receives the texts that precede the first file", async () => {
  const seen: [string, unknown][][] = [];
  const { url, node } = await serve({
    async authorize(_, form) {
      const fields = await form.fields();
      expect(await form.fields()).toBe(fields);
      seen.push([...fields]);
      return fields.get("csrf") === "tökén" && { maxBytes: 3 };
    },
  });
  const csrf = part('form-data; name="csrf"', "tökén");
  const album = part('form-data; name="album %22a%22"', "1") + part('form-data; name="album %22a%22"', "2");
  const late = part('form-data; name="late"', "3");
  expect((await sendForm(url, csrf + album + filePart("a", "123") + late + END)).status).toBe(200);
  expect((await sendForm(url, csrf + filePart("a", "1234") + END)).status).toBe(413);
  expect((await sendForm(url, filePart("a", "123") + csrf + END)).status).toBe(403);
  expect(seen).toEqual([
    [
      ["csrf", "tökén"],
      ['album "a"', "1"],
      ['album "a"', "2"],
    ],
    [["csrf", "tökén"]],
    [],
  ]);
  expect(node.requests.filter(({ body }) => body.includes("123"))).toHaveLength(1);
});

test("a malformed form that authorize reads is refused as one, even if authorize goes on", async () => {
  const reading = await serve({ authorize: async (_, form) => (await form.fields()).has("csrf") });
  expect(await sendForm(reading.url, "x")).toMatchObject({ status: 400, error: { code: "INVALID_SOURCE" } });
  const ignoring = await serve({ authorize: (_, form) => form.fields().then(Boolean, () => true) });
  expect(await sendForm(ignoring.url, "x")).toMatchObject({ status: 400, error: { code: "INVALID_SOURCE" } });
});

test("reading fields ends by the handler's limits, and the files by those of the user", async () => {
  const { url, node } = await serve({
    limits: { idleTimeoutMs: 50 },
    async authorize(_, form) {
      await form.fields();
      return { idleTimeoutMs: 60_000 };
    },
  });
  const silent = await startRequest(url, ["Content-Length: 1000"]);
  expect(await silent.response).toMatch(/^HTTP\/1.1 504 [\s\S]*"code":"TIMEOUT"/);
  expect(node.requests).toEqual([]);
});

test("an encrypted file has no type but that of bytes", async () => {
  const only = await serve({ limits: { types: ["image/*"] } });
  const headers = { Encryption: "true", "Mime-Type": "text/plain" };
  const form = latin1(filePart("a.html", png, "image/png") + END);
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
