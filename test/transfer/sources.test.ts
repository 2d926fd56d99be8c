import { createReadStream } from "node:fs";
import { mkdir, symlink } from "node:fs/promises";
import { basename, join, relative, sep } from "node:path";
import { Readable } from "node:stream";
import { pathToFileURL } from "node:url";
import { runInNewContext } from "node:vm";
import { describe, expect, test } from "vitest";
import {
  getQuote,
  type Source,
  upload,
  uploadBuffer,
  uploadCar,
  uploadEncrypted,
  uploadText,
  uploadTextEncrypted,
} from "../../src/index.ts";
import { failure } from "../support/failure.ts";
import { scratch, writeTree } from "../support/files.ts";
import { cid } from "../support/fixtures.ts";
import { createServer, endpointsAt, sendJson } from "../support/http-server.ts";
import { incomplete } from "../support/incomplete.ts";
import { watchLeaks } from "../support/leaks.ts";
import { captureTexts, captureUpload } from "../support/net-upload.ts";
import { toStoredRows } from "../support/stored-rows.ts";

const utf8 = new TextEncoder();

async function* iterable(...texts: string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield utf8.encode(text);
}

function withPath(file: File, path: string): File {
  return Object.defineProperty(file, "webkitRelativePath", { value: path });
}

const texts: [what: string, source: () => Source, expected: [string, string][], known: boolean][] = [
  ["a Blob", () => new Blob(["one"]), [["blob", "one"]], true],
  ["a File", () => new File(["one"], "a.txt"), [["a.txt", "one"]], true],
  ["a File of a folder", () => withPath(new File(["one"], "a.txt"), "dir/sub/a.txt"), [["dir/sub/a.txt", "one"]], true],
  ["a Uint8Array", () => utf8.encode("one"), [["blob", "one"]], true],
  ["part of a buffer", () => utf8.encode("-one-").subarray(1, 4), [["blob", "one"]], true],
  ["a Buffer", () => Buffer.from("one"), [["blob", "one"]], true],
  ["a Uint8Array of another realm", () => runInNewContext("Uint8Array.of(111, 110, 101)"), [["blob", "one"]], true],
  ["an ArrayBuffer of another realm", () => runInNewContext("Uint8Array.of(111).buffer"), [["blob", "o"]], true],
  ["an ArrayBuffer", () => utf8.encode("one").buffer, [["blob", "one"]], true],
  ["a named ReadableStream", () => ({ name: "s", stream: new Blob(["one"]).stream() }), [["s", "one"]], false],
  [
    "a named ReadableStream of known size",
    () => ({ name: "s", size: 3, stream: new Blob(["one"]).stream() }),
    [["s", "one"]],
    true,
  ],
  ["a named async iterable", () => ({ name: "a/b", stream: iterable("on", "", "e") }), [["a/b", "one"]], false],
  [
    "a named Node stream",
    () => ({ name: "s", size: 3, stream: Readable.from([Buffer.from("one")]) }),
    [["s", "one"]],
    true,
  ],
  [
    "several of these",
    () => [new File(["one"], "a.txt"), { name: "s", size: 3, stream: iterable("two") }, Buffer.from("three")],
    [
      ["a.txt", "one"],
      ["s", "two"],
      ["blob", "three"],
    ],
    true,
  ],
  [
    "several, one of unknown size",
    () => [new File(["one"], "a.txt"), { name: "s", stream: iterable("two") }],
    [
      ["a.txt", "one"],
      ["s", "two"],
    ],
    false,
  ],
  ["an empty Blob", () => new Blob([]), [["blob", ""]], true],
  ["an empty stream", () => ({ name: "s", stream: iterable() }), [["s", ""]], false],
];

test.each(texts)("%s is sent unchanged, with a length only if it is known", async (_, source, expected, known) => {
  const { request, parts } = await captureUpload(source());
  expect(parts.map(({ filename, bytes }) => [filename, bytes.toString()])).toEqual(expected);
  expect(parts.every(({ field, type }) => field === "file" && type === "application/octet-stream")).toBe(true);
  expect(request.headers["content-length"]).toBe(known ? String(request.body.length) : undefined);
  expect(request.headers["transfer-encoding"]).toBe(known ? undefined : "chunked");
});

/** Reads the `Content-Type` of a body's first part. */
const getPartType = (body: Buffer) => /\r\nContent-Type: (.*)\r\n\r\n/.exec(body.toString("latin1"))?.[1];

test.each(["text/plain", "image/PNG", "text/html; charset=utf-8", "", "grün", "a/b\r\nX-Header: c"])(
  "a File of type %j is sent as the runtime's own FormData sends it",
  async (type) => {
    const form = new FormData();
    form.append("file", new File(["one"], "a.txt", { type }), "a.txt");
    const expected = getPartType(Buffer.from(await new Response(form).arrayBuffer()));
    for (const source of [new File(["one"], "a.txt", { type }), new Blob(["one"], { type })]) {
      const { request } = await captureUpload(source);
      expect(getPartType(request.body)).toBe(expected);
      expect(request.headers["content-length"]).toBe(String(request.body.length));
    }
  },
);

test("every kind of source is encrypted as bytes", async () => {
  const server = await createServer(async (request, response) =>
    sendJson(response, request.path.includes("/add") ? await toStoredRows(request) : { message: "success" }),
  );
  const options = { apiKey: "key", endpoints: endpointsAt(server.url), address: `0x${"a".repeat(40)}`, pauseMs: 0 };
  const file = new File(["one"], "a.txt", { type: "text/plain" });
  await uploadEncrypted(file, { ...options, authToken: "jwt:x" });
  expect(getPartType(server.requests[0]?.body ?? Buffer.alloc(0))).toBe("application/octet-stream");
});

test.each<[string, () => Source]>([
  ["a ReadableStream", () => new Blob(["one"]).stream()],
  ["an async iterable", () => iterable("one")],
  ["a Node stream", () => Readable.from([Buffer.from("one")])],
  ["a Blob", () => new Blob(["one"])],
  ["bytes", () => utf8.encode("one")],
  ["a File", () => new File(["one"], "other")],
])("the option `name` sets the name of %s", async (_, source) => {
  expect(await captureTexts(source(), { name: "renamed" })).toEqual([["renamed", "one"]]);
});

describe("paths", () => {
  const tree = { "file.txt": "one", "dir/b.txt": "two", "dir/a/c.txt": "three", "dir/a.txt": "four" };
  const dir: [string, string][] = [
    ["dir/a/c.txt", "three"],
    ["dir/a.txt", "four"],
    ["dir/b.txt", "two"],
  ];
  const sources: [string, (folder: string) => Source, [string, string][]][] = [
    ["a file", (folder) => join(folder, "file.txt"), [["file.txt", "one"]]],
    ["a relative path", (folder) => relative(process.cwd(), join(folder, "file.txt")), [["file.txt", "one"]]],
    ["a file: URL", (folder) => pathToFileURL(join(folder, "file.txt")), [["file.txt", "one"]]],
    ["a folder", (folder) => join(folder, "dir"), dir],
    ["a folder with a slash after it", (folder) => `${join(folder, "dir")}${sep}`, dir],
    ["a relative folder with dots in it", (folder) => `${relative(process.cwd(), folder)}/dir/../dir/.`, dir],
    ["the URL of a folder", (folder) => pathToFileURL(`${join(folder, "dir")}/`), dir],
    [
      "paths in a list",
      (folder) => [join(folder, "file.txt"), join(folder, "dir/a")],
      [
        ["file.txt", "one"],
        ["a/c.txt", "three"],
      ],
    ],
  ];
  test.each(sources)("%s", async (_, source, expected) => {
    const folder = await writeTree(await scratch(), tree);
    const { request, parts } = await captureUpload(source(folder));
    const found = parts.map(({ filename, bytes }): [string, string] => [filename, bytes.toString()]);
    expect(found.sort()).toEqual([...expected].sort());
    expect(request.headers["content-length"]).toBe(String(request.body.length));
  });

  test("the option `name` renames a single file, not the files of a folder", async () => {
    const folder = await writeTree(await scratch(), tree);
    expect(await captureTexts(join(folder, "file.txt"), { name: "new" })).toEqual([["new", "one"]]);
  });

  test("files on the disk are sent under other names, and are the files of a folder then", async () => {
    const folder = await writeTree(await scratch(), tree);
    const path = join(folder, "file.txt");
    const named = (name: string) => [
      { name, path },
      { name: "new/sub/b", path: pathToFileURL(path) },
    ];
    expect(await captureTexts(named("new/a"))).toEqual([
      ["new/a", "one"],
      ["new/sub/b", "one"],
    ]);
    for (const name of ["../a", "/a", "a//b", "", 1 as never]) {
      expect((await failure(captureTexts(named(name)))).code, name).toBe("INVALID_SOURCE");
    }
    expect((await failure(captureTexts([{ name: "a", path: folder }]))).code).toBe("INVALID_SOURCE");
  });

  test("a link is followed, and keeps its own name", async () => {
    const folder = await writeTree(await scratch(), { "dir/a.txt": "one", "other/b.txt": "two" });
    await symlink(join(folder, "other"), join(folder, "dir", "linked"));
    await symlink(join(folder, "other/b.txt"), join(folder, "dir", "z.txt"));
    expect(await captureTexts(join(folder, "dir"))).toEqual([
      ["dir/a.txt", "one"],
      ["dir/linked/b.txt", "two"],
      ["dir/z.txt", "two"],
    ]);
  });

  test.skipIf(process.platform === "win32")("names may contain anything except a slash", async () => {
    const names = [
      'quo"te',
      "new\nline",
      "re\rturn",
      "100%",
      "%22",
      "ünïcödé ✓ 🗝",
      "a;b=c",
      "back\\slash",
      " space ",
      "'",
    ];
    const folder = await writeTree(await scratch(), Object.fromEntries(names.map((name) => [`dir/${name}`, name])));
    const sent = await captureUpload(join(folder, "dir"));
    const expected = names.map((name) => [`dir/${name}`.replaceAll("%22", '"'), name]);
    expect(sent.parts.map(({ filename, bytes }) => [filename, bytes.toString()]).sort()).toEqual(expected.sort());
  });

  test("empty folders are omitted, empty files are sent", async () => {
    const folder = await writeTree(await scratch(), { "dir/empty.txt": "" });
    await mkdir(join(folder, "dir", "nothing"));
    expect(await captureTexts(join(folder, "dir"))).toEqual([["dir/empty.txt", ""]]);
  });
});

test("a string, and bytes", async () => {
  const server = await createServer((_, response) => sendJson(response, { Name: "x", Hash: cid, Size: "1" }));
  const options = { apiKey: "key", endpoints: endpointsAt(server.url) };
  await uploadText("grüß", options);
  await uploadText("hi", { ...options, name: "note.md" });
  await uploadBuffer(utf8.encode("bytes").buffer, options);
  await uploadBuffer(Buffer.from("bytes"), { ...options, name: "b.bin" });
  const bodies = server.requests.map(({ body }) =>
    /filename="(.*)"[\s\S]*\r\n\r\n([\s\S]*)\r\n--/.exec(body.toString())?.slice(1),
  );
  expect(bodies).toEqual([
    ["text.txt", "grüß"],
    ["note.md", "hi"],
    ["blob", "bytes"],
    ["b.bin", "bytes"],
  ]);
});

describe("an invalid source is refused before anything is sent", () => {
  const bad: [string, () => unknown, string][] = [
    ["undefined", () => undefined, "Invalid source: expected a path, a URL, a File, a Blob, bytes or a stream"],
    ["null", () => null, "Invalid source: expected a path, a URL, a File, a Blob, bytes or a stream"],
    ["a number", () => 42, "Invalid source: expected a path, a URL, a File, a Blob, bytes or a stream"],
    [
      "a plain object",
      () => ({ name: "x" }),
      "Invalid source: expected a path, a URL, a File, a Blob, bytes or a stream",
    ],
    [
      "a string as a stream",
      () => ({ name: "x", stream: "y" }),
      "Invalid source: expected a path, a URL, a File, a Blob, bytes or a stream",
    ],
    ["an empty list", () => [], "Invalid source: it is empty"],
    ["an empty path", () => "", "Invalid source: the path is empty"],
    [
      "an http URL",
      () => new URL("https://example.com/a.txt"),
      "Invalid source: a URL must be a file: URL; download other files first",
    ],
    [
      "a file: URL of another host",
      () => new URL("file://host/a.txt"),
      "Invalid source: the file: URL is not one of this machine",
    ],
    [
      "a bare stream without a name",
      () => new Blob(["x"]).stream(),
      "Invalid source: a bare stream requires the option name",
    ],
    [
      "a size that is none",
      () => ({ name: "x", size: -1, stream: iterable("x") }),
      "Invalid source: the size of a stream is a whole number of bytes",
    ],
    ["an empty name", () => ({ name: "", stream: iterable("x") }), "Invalid source: a file name is empty"],
    [
      "a name that leads elsewhere",
      () => ({ name: "../x", stream: iterable("x") }),
      "Invalid source: a file name has an empty, '.' or '..' part",
    ],
    [
      "an absolute name",
      () => ({ name: "/x", stream: iterable("x") }),
      "Invalid source: a file name has an empty, '.' or '..' part",
    ],
    ["a name that is not a string", () => ({ name: 5, stream: iterable("x") }), "Invalid source: a file name is empty"],
    ["the root of the file system", () => "/", "Invalid source: the root of the file system cannot be sent"],
    ["two files of one name", () => [new File(["a"], "x"), new File(["b"], "x")], "Duplicate file name found: x"],
  ];
  test.each(bad)("%s", async (_, source, message) => {
    const server = await createServer(() => undefined);
    const options = { apiKey: "key", endpoints: endpointsAt(server.url) };
    expect(await failure(upload(source() as Source, options))).toMatchObject({ message });
    expect(server.requests).toEqual([]);
  });

  test("a name for several sources", async () => {
    const error = await failure(upload([new Blob(["a"]), new Blob(["b"])], { apiKey: "key", name: "x" }));
    expect(error.message).toBe("Invalid source: the option name is for a single source");
  });
});

test("a failed upload cancels streams that it has not started", async () => {
  const server = await createServer((_, response) => response.writeHead(401).end(), { read: false });
  const folder = await writeTree(await scratch(), { "late.txt": "late" });
  const late = createReadStream(join(folder, "late.txt"));
  let cancelled = false;
  const web = new ReadableStream<Uint8Array>({
    cancel() {
      cancelled = true;
    },
  });
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield utf8.encode("x");
    throw new Error("the disk is gone");
  }
  const sources = [
    { name: "broken", stream: broken() },
    { name: basename(String(late.path)), stream: late },
    { name: "web", stream: web },
  ];
  await failure(upload(sources, { apiKey: "key", endpoints: endpointsAt(server.url) }));
  expect(late.destroyed).toBe(true);
  expect(cancelled).toBe(true);
});

describe("a stream in a refused source is cancelled", () => {
  const owner = { address: `0x${"a".repeat(40)}`, authToken: "jwt:x" };
  const key = { apiKey: "key" };
  type Send = (source: Source) => Promise<unknown>;
  const refusals: [string, string, Send][] = [
    ["upload without an API key", "MISSING_API_KEY", (source) => upload(source, incomplete())],
    ["upload with an invalid API key", "INVALID_OPTION", (source) => upload(source, { apiKey: "a b" })],
    ["upload to an invalid URL", "INVALID_OPTION", (s) => upload(s, { ...key, endpoints: { upload: "x" } })],
    [
      "upload with an unknown CID version",
      "INVALID_OPTION",
      (source) => upload(source, { ...key, cidVersion: 2 as 1 }),
    ],
    ["upload of several files with a name", "INVALID_SOURCE", (source) => upload(source, { ...key, name: "x" })],
    [
      "upload with an undefined source",
      "INVALID_SOURCE",
      (source) => upload([source, undefined].flat() as Source, key),
    ],
    ["upload with a missing file", "SOURCE_UNREADABLE", (s) => upload([s, "missing"].flat() as Source, key)],
    ["upload with a duplicate name", "DUPLICATE_NAME", (s) => upload([s, new File([], "web")].flat() as Source, key)],
    ["upload after an abort", "ABORTED", (source) => upload(source, { ...key, signal: AbortSignal.abort() })],
    ["uploadCar of several", "INVALID_SOURCE", (source) => uploadCar(source, key)],
    ["uploadCar without an API key", "MISSING_API_KEY", (source) => uploadCar(source, incomplete())],
    ["uploadEncrypted without an API key", "MISSING_API_KEY", (source) => uploadEncrypted(source, incomplete(owner))],
    ["uploadEncrypted without an owner", "MISSING_OWNER", (source) => uploadEncrypted(source, incomplete(key))],
    [
      "uploadEncrypted for nobody",
      "INVALID_ADDRESS",
      (source) => uploadEncrypted(source, { ...key, ...owner, shareTo: "0x1" }),
    ],
    ["uploadEncrypted, of one shard", "INVALID_OPTION", (s) => uploadEncrypted(s, { ...key, ...owner, threshold: 1 })],
    [
      "uploadEncrypted with a signature",
      "NOT_A_JWT",
      (source) => uploadEncrypted(source, { ...key, ...owner, authToken: "0x5e" }),
    ],
  ];
  test.each(refusals)("%s", async (_, code, send) => {
    const folder = await writeTree(await scratch(), { "late.txt": "late" });
    const expectNothingLeft = watchLeaks();
    const cancelled: string[] = [];
    const iterator = { next: async () => ({ done: true as const, value: undefined }) };
    const own = { [Symbol.asyncIterator]: () => ({ ...iterator, return: async () => returned() }) };
    const returned = () => {
      cancelled.push("iterable");
      return { done: true as const, value: undefined };
    };
    const file = createReadStream(join(folder, "late.txt"));
    const web = new ReadableStream<Uint8Array>({ cancel: () => void cancelled.push("web") });
    const error = await failure(
      send([
        { name: "file", stream: file },
        { name: "web", stream: web },
        { name: "own", stream: own },
      ]),
    );
    expect(error.code).toBe(code);
    expect(file.destroyed).toBe(true);
    expect(cancelled).toEqual(["web", "iterable"]);
    await expectNothingLeft();
  });

  test("a bare stream, and one whose name is missing", async () => {
    let cancelled = 0;
    const web = () => new ReadableStream<Uint8Array>({ cancel: () => void cancelled++ });
    expect(await failure(upload(web(), key))).toMatchObject({ code: "INVALID_SOURCE" });
    expect(await failure(upload({ stream: web() } as never, key))).toMatchObject({ code: "INVALID_SOURCE" });
    expect(cancelled).toBe(2);
  });

  test("a Node stream that fails later does not end the process", async () => {
    const path = join(await scratch(), "missing");
    const missing = createReadStream(path);
    const closed = new Promise<void>((resolve) => missing.once("close", resolve));
    expect(await failure(upload({ name: "x", stream: missing }, incomplete()))).toMatchObject({
      code: "MISSING_API_KEY",
    });
    await closed;
    expect(missing.destroyed).toBe(true);
  });

  test("but not one that has another reader", async () => {
    const stream = new Blob(["one"]).stream();
    const reader = stream.getReader();
    expect(await failure(upload({ name: "x", stream }, incomplete()))).toMatchObject({ code: "MISSING_API_KEY" });
    expect((await reader.read()).value).toEqual(utf8.encode("one"));
  });

  test("nor one in a quote", async () => {
    const stream = new Blob(["one"]).stream();
    expect(await getQuote({ name: "x", size: 3, stream })).toMatchObject({ totalSize: 3 });
    expect(await new Response(stream).text()).toBe("one");
  });
});

test("a Node stream that fails before it is read is an error of the upload, and does not end the process", async () => {
  const path = join(await scratch(), "missing");
  const missing = createReadStream(path);
  async function* waitForFailure(): AsyncGenerator<Uint8Array> {
    await new Promise<void>((resolve) => missing.once("close", resolve));
    yield utf8.encode("x");
  }
  const server = await createServer((_, response) => sendJson(response, {}));
  const sources = [
    { name: "first", stream: waitForFailure() },
    { name: "missing", stream: missing },
  ];
  const error = await failure(upload(sources, { apiKey: "key", endpoints: endpointsAt(server.url) }));
  expect(error).toMatchObject({ code: "SOURCE_UNREADABLE", message: `The source could not be read: ${path} (ENOENT)` });
});

test("an encrypted File whose webkitRelativePath has no folder keeps its name", async () => {
  const server = await createServer(async (request, response) =>
    sendJson(response, request.path.includes("/add") ? await toStoredRows(request) : { message: "success" }),
  );
  await uploadEncrypted(withPath(new File(["one"], "a.txt"), "a.txt"), {
    apiKey: "key",
    endpoints: endpointsAt(server.url),
    address: `0x${"a".repeat(40)}`,
    authToken: "jwt:x",
    pauseMs: 0,
  });
  expect(server.requests[0]?.body.toString("latin1")).toContain('filename="a.txt"');
});

test.each<[string, () => Promise<unknown>]>([
  ["uploadText of a number", () => uploadText(5 as never, { apiKey: "key" })],
  ["uploadText of nothing", () => uploadText(undefined as never, { apiKey: "key" })],
  ["uploadTextEncrypted of nothing", () => uploadTextEncrypted(undefined as never, incomplete({ apiKey: "key" }))],
  ["uploadBuffer of a string, which would be a path", () => uploadBuffer("package.json" as never, { apiKey: "key" })],
])("%s is refused", async (_, call) => {
  expect(await failure(call())).toMatchObject({ code: "INVALID_SOURCE" });
});
