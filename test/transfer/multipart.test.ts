import type { IncomingHttpHeaders } from "node:http";
import type { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import fc from "fast-check";
import FormDataPackage from "form-data";
import { describe, expect, test } from "vitest";
import { type NamedStream, type Source, upload } from "../../src/index.ts";
import { createMultipartBody } from "../../src/platform/multipart.ts";
import { uploadBody } from "../../src/platform/node/upload-body.ts";
import { toNodeName } from "../../src/storage/upload/file-names.ts";
import { listSourceFiles } from "../../src/storage/upload/source.ts";
import { failure } from "../support/failure.ts";
import { createServer, endpointsAt, sendJson } from "../support/http-server.ts";
import { parseMultipart } from "../support/multipart.ts";
import { captureUpload } from "../support/net-upload.ts";

const runs = { numRuns: 1_000 };
const uploaded = { Name: "name", Hash: "bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e", Size: "1" };

/** Any string that is valid as a file's name; strings that need escaping are generated more often. */
const fileName = fc
  .oneof(
    fc.string({ unit: "grapheme", minLength: 1, maxLength: 30 }),
    fc.string({ unit: fc.constantFrom('"', "\r", "\n", "%", "\\", "'", ";", "=", "é", "🗝", "a"), minLength: 1 }),
  )
  .filter((name) => !name.split("/").some((part) => part === "" || part === "." || part === ".."));

/** Bytes, and the same bytes in chunks, some of which are empty. */
const chunked = fc
  .array(fc.uint8Array({ maxLength: 300 }), { maxLength: 6 })
  .map((chunks) => ({ chunks, bytes: Buffer.concat(chunks) }));

const file = fc.record({ name: fileName, content: chunked, known: fc.boolean() });
// Names that an upload node reads as one are refused as duplicates.
const files = fc.uniqueArray(file, { minLength: 1, maxLength: 5, selector: ({ name }) => toNodeName(name) });

async function* streamChunks(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

function unescapeName(name: string): string {
  return name.replace(/%0D/g, "\r").replace(/%0A/g, "\n").replace(/%22/g, '"');
}

/** Reads the files of a body with the runtime's parser. */
async function readWithRuntime(headers: IncomingHttpHeaders, body: Buffer): Promise<[string, Buffer][]> {
  const type = headers["content-type"] ?? "";
  const form = await new Response(new Uint8Array(body), { headers: { "Content-Type": type } }).formData();
  return Promise.all(
    (form.getAll("file") as File[]).map(async (part) => [part.name, Buffer.from(await part.arrayBuffer())] as const),
  ) as Promise<[string, Buffer][]>;
}

type Part = { name: string; content: { chunks: Uint8Array[]; bytes: Buffer }; known: boolean };

const createSource = (list: readonly Part[]): NamedStream[] =>
  list.map(({ name, content, known }) => ({
    name,
    stream: streamChunks(content.chunks),
    ...(known ? { size: content.bytes.length } : {}),
  }));

/** Creates the body that an upload would send, with headers in lower case: creating a thousand is faster than sending. */
async function createBody(source: Source): Promise<{ headers: IncomingHttpHeaders; body: Buffer }> {
  const { data, headers } = await uploadBody(await listSourceFiles(source, { name: undefined, signal: undefined }), {
    signal: undefined,
  });
  const entries = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  return { headers: Object.fromEntries(entries), body: await buffer(data as Readable) };
}

/** Checks a body with two independent parsers. */
async function assertBody(list: readonly Part[], headers: IncomingHttpHeaders, body: Buffer): Promise<void> {
  // A parser also decodes escapes that were in the original name: form encoding makes them indistinguishable.
  const sent = list.map(({ name, content }) => [unescapeName(name), content.bytes]);
  expect(await readWithRuntime(headers, body)).toEqual(sent);
  // busboy treats backslashes as escapes, which browsers do not write.
  if (list.every(({ name }) => !name.includes("\\"))) {
    const parts = await parseMultipart(headers, body);
    expect(parts.map(({ filename, bytes }) => [filename, bytes])).toEqual(sent);
  }
  const allKnown = list.every(({ known }) => known);
  expect(headers["content-length"]).toBe(allKnown ? String(body.length) : undefined);
}

test("for any names, sizes and chunks, two independent parsers read the same bytes, and the length is right", async () => {
  await fc.assert(
    fc.asyncProperty(files, async (list) => {
      const { headers, body } = await createBody(createSource(list));
      await assertBody(list, headers, body);
    }),
    runs,
  );
});

test("an upload sends the same body", async () => {
  const { url, requests } = await createServer((_, response) => sendJson(response, uploaded));
  await fc.assert(
    fc.asyncProperty(files, async (list) => {
      await upload(createSource(list), { apiKey: "key", endpoints: endpointsAt(url) });
      const { headers, body } = requests.at(-1) as (typeof requests)[number];
      await assertBody(list, headers, body);
    }),
    { numRuns: 50 },
  );
});

/** Returns the first part's header lines. */
function getHead(body: Buffer): string {
  return body.subarray(0, body.indexOf("\r\n\r\n")).toString("latin1").split("\r\n").slice(1).join("\n");
}

test("a body is complete once its last byte is handed over: a response may come before more is requested", async () => {
  const parts = await listSourceFiles(new Blob(["bytes"]), { name: "a", signal: undefined });
  const { chunks, length = 0, isComplete } = createMultipartBody(parts, { signal: new AbortController().signal });
  let left = length;
  while (left > 0) {
    expect(isComplete()).toBe(false);
    left -= (await chunks.next()).value?.length ?? 0;
  }
  expect(isComplete()).toBe(true);
});

test("names are encoded as the runtime's FormData encodes them", async () => {
  await fc.assert(
    fc.asyncProperty(fileName, async (name) => {
      const { body } = await createBody({ name, stream: streamChunks([]) });
      const form = new FormData();
      form.append("file", new Blob(["x"]), name);
      const expected = Buffer.from(await new Response(form).arrayBuffer());
      expect(getHead(body)).toBe(getHead(expected));
    }),
    runs,
  );
});

test("a body equals the one of the form-data package, except for its boundary", async () => {
  const plainFiles = fc.uniqueArray(fc.record({ name: fc.stringMatching(/^[\w é🗝()+%.-]*\w$/u), content: chunked }), {
    minLength: 1,
    maxLength: 4,
    selector: ({ name }) => name,
  });
  await fc.assert(
    fc.asyncProperty(plainFiles, async (list) => {
      const { headers, body } = await createBody(
        list.map(({ name, content }) => ({ name, stream: streamChunks(content.chunks) })),
      );
      const boundary = /boundary=(.+)$/.exec(headers["content-type"] ?? "")?.[1] ?? "";
      const oracle = new FormDataPackage();
      oracle.setBoundary(boundary);
      for (const { name, content } of list) {
        oracle.append("file", content.bytes, { filepath: name, contentType: "application/octet-stream" });
      }
      expect(body.equals(oracle.getBuffer())).toBe(true);
    }),
    runs,
  );
});

test("each body has a unique boundary, long enough not to be in a file by chance", async () => {
  const boundaries = new Set<string>();
  for (let at = 0; at < 5; at++) {
    const { request } = await captureUpload(new Blob(["x"]));
    boundaries.add(/boundary=(.+)$/.exec(request.headers["content-type"] ?? "")?.[1] ?? "");
  }
  expect(boundaries.size).toBe(5);
  for (const boundary of boundaries) expect(boundary).toMatch(/[0-9a-f]{32}$/);
});

test("a file that looks like a multipart body arrives unchanged", async () => {
  const text = '--x\r\nContent-Disposition: form-data; name="file"; filename="y"\r\n\r\nhi\r\n--x--\r\n';
  const { parts } = await captureUpload(new Blob([text]));
  expect(parts.map(({ bytes }) => bytes.toString())).toEqual([text]);
});

describe("a stream of another length than announced is refused", () => {
  async function* bytes(size: number): AsyncGenerator<Uint8Array> {
    for (let sent = 0; sent < size; sent += 1000) yield new Uint8Array(Math.min(1000, size - sent));
  }
  test.each([
    ["longer by a byte", 5000, 5001],
    ["shorter by a byte", 5000, 4999],
    ["far longer", 10, 1_000_000],
    ["far shorter", 1_000_000, 10],
    ["empty", 5, 0],
    ["not empty", 0, 5],
  ])("%s", async (_, announced, actual) => {
    const server = await createServer((__, response) => sendJson(response, uploaded));
    const options = { apiKey: "key", endpoints: endpointsAt(server.url) };
    const error = await failure(upload({ name: "s.bin", size: announced, stream: bytes(actual) }, options));
    expect(error).toMatchObject({
      code: "SOURCE_CHANGED",
      message: "The source changed while it was read: s.bin",
      details: { name: "s.bin", expectedBytes: announced },
    });
    await expect.poll(server.connections).toBe(0);
  });
});

test.each<[string, () => AsyncIterable<unknown>, string]>([
  [
    "fails",
    async function* () {
      yield new Uint8Array(1);
      throw new Error("the disk is gone");
    },
    "SOURCE_UNREADABLE The source could not be read: s.bin",
  ],
  [
    "yields strings",
    async function* () {
      yield "text";
    },
    "INVALID_SOURCE Invalid source: a stream yielded something else than bytes",
  ],
])("a stream that %s is refused with this reason", async (_, stream, expected) => {
  const server = await createServer((__, response) => sendJson(response, uploaded));
  const options = { apiKey: "key", endpoints: endpointsAt(server.url) };
  const error = await failure(upload({ name: "s.bin", stream: stream() as AsyncIterable<Uint8Array> }, options));
  expect(`${error.code} ${error.message}`).toBe(expected);
});

test("a stream that has another reader is refused as unreadable", async () => {
  const stream = new Blob(["x"]).stream();
  stream.getReader();
  const server = await createServer((_, response) => sendJson(response, uploaded));
  const error = await failure(upload({ name: "s", stream }, { apiKey: "key", endpoints: endpointsAt(server.url) }));
  expect(error.code).toBe("SOURCE_UNREADABLE");
});
