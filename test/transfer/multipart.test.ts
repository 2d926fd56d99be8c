import type { IncomingHttpHeaders } from "node:http";
import type { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import fc from "fast-check";
import FormDataPackage from "form-data";
import { describe, expect, test } from "vitest";
import { type NamedStream, type Source, upload } from "../../src/index.ts";
import { uploadBody } from "../../src/platform/node/upload-body.ts";
import { listSourceFiles } from "../../src/transfer/upload/source.ts";
import { failure } from "../support/failure.ts";
import { createServer, endpointsAt, sendJson } from "../support/http-server.ts";
import { parseMultipart } from "../support/multipart.ts";
import { sentBy } from "../support/net-upload.ts";

const runs = { numRuns: 1_000 };
const uploaded = { Name: "name", Hash: "bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e", Size: "1" };

/** Any text that can be a file's name, those that need escaping among them more often than chance would have it. */
const fileName = fc
  .oneof(
    fc.string({ unit: "grapheme", minLength: 1, maxLength: 30 }),
    fc.string({ unit: fc.constantFrom('"', "\r", "\n", "%", "\\", "'", ";", "=", "é", "🗝", "a"), minLength: 1 }),
  )
  .filter((name) => !name.split("/").some((part) => part === "" || part === "." || part === ".."));

/** Bytes, and the same bytes in chunks, some of them empty. */
const piecewise = fc
  .array(fc.uint8Array({ maxLength: 300 }), { maxLength: 6 })
  .map((chunks) => ({ chunks, bytes: Buffer.concat(chunks) }));

const file = fc.record({ name: fileName, content: piecewise, known: fc.boolean() });
const files = fc.uniqueArray(file, { minLength: 1, maxLength: 5, selector: ({ name }) => name });

async function* streamOf(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

function undone(name: string): string {
  return name.replace(/%0D/g, "\r").replace(/%0A/g, "\n").replace(/%22/g, '"');
}

/** The files of a body as the runtime's own parser reads them. */
async function readByRuntime(headers: IncomingHttpHeaders, body: Buffer): Promise<[string, Buffer][]> {
  const type = headers["content-type"] ?? "";
  const form = await new Response(new Uint8Array(body), { headers: { "Content-Type": type } }).formData();
  return Promise.all(
    (form.getAll("file") as File[]).map(async (part) => [part.name, Buffer.from(await part.arrayBuffer())] as const),
  ) as Promise<[string, Buffer][]>;
}

type Part = { name: string; content: { chunks: Uint8Array[]; bytes: Buffer }; known: boolean };

const sourceOf = (list: readonly Part[]): NamedStream[] =>
  list.map(({ name, content, known }) => ({
    name,
    stream: streamOf(content.chunks),
    ...(known ? { size: content.bytes.length } : {}),
  }));

/** The body that an upload would send, with its headers in lower case: a thousand are made faster than sent. */
async function bodyOf(source: Source): Promise<{ headers: IncomingHttpHeaders; body: Buffer }> {
  const { data, headers } = await uploadBody(await listSourceFiles(source, { name: undefined, signal: undefined }), {
    signal: undefined,
  });
  const entries = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  return { headers: Object.fromEntries(entries), body: await buffer(data as Readable) };
}

/** Checks a body by two parsers of others'. */
async function assertCarries(list: readonly Part[], headers: IncomingHttpHeaders, body: Buffer): Promise<void> {
  // A parser undoes escapes that were in a name before, too: form encoding makes them indistinguishable.
  const sent = list.map(({ name, content }) => [undone(name), content.bytes]);
  expect(await readByRuntime(headers, body)).toEqual(sent);
  // This one takes backslashes for escapes, which browsers do not write.
  if (list.every(({ name }) => !name.includes("\\"))) {
    const parts = await parseMultipart(headers, body);
    expect(parts.map(({ filename, bytes }) => [filename, bytes])).toEqual(sent);
  }
  const allKnown = list.every(({ known }) => known);
  expect(headers["content-length"]).toBe(allKnown ? String(body.length) : undefined);
}

test("for any names, sizes and chunks, two other parsers read the same bytes back, and the length is right", async () => {
  await fc.assert(
    fc.asyncProperty(files, async (list) => {
      const { headers, body } = await bodyOf(sourceOf(list));
      await assertCarries(list, headers, body);
    }),
    runs,
  );
});

test("what is made is what is sent", async () => {
  const { url, requests } = await createServer((_, response) => sendJson(response, uploaded));
  await fc.assert(
    fc.asyncProperty(files, async (list) => {
      await upload(sourceOf(list), { apiKey: "key", endpoints: endpointsAt(url) });
      const { headers, body } = requests.at(-1) as (typeof requests)[number];
      await assertCarries(list, headers, body);
    }),
    { numRuns: 50 },
  );
});

/** The first part's header lines, in bytes. */
function headOf(body: Buffer): string {
  return body.subarray(0, body.indexOf("\r\n\r\n")).toString("latin1").split("\r\n").slice(1).join("\n");
}

test("names are written as the runtime's own FormData writes them", async () => {
  await fc.assert(
    fc.asyncProperty(fileName, async (name) => {
      const { body } = await bodyOf({ name, stream: streamOf([]) });
      const form = new FormData();
      form.append("file", new Blob(["x"]), name);
      const expected = Buffer.from(await new Response(form).arrayBuffer());
      expect(headOf(body)).toBe(headOf(expected));
    }),
    runs,
  );
});

test("a body is, but for its boundary, the one of the form-data package", async () => {
  const plainFiles = fc.uniqueArray(fc.record({ name: fc.stringMatching(/^[\w é🗝()+%.-]*\w$/u), content: piecewise }), {
    minLength: 1,
    maxLength: 4,
    selector: ({ name }) => name,
  });
  await fc.assert(
    fc.asyncProperty(plainFiles, async (list) => {
      const { headers, body } = await bodyOf(
        list.map(({ name, content }) => ({ name, stream: streamOf(content.chunks) })),
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

test("each body has a boundary of its own, long enough not to be in a file by chance", async () => {
  const boundaries = new Set<string>();
  for (let at = 0; at < 5; at++) {
    const { request } = await sentBy(new Blob(["x"]));
    boundaries.add(/boundary=(.+)$/.exec(request.headers["content-type"] ?? "")?.[1] ?? "");
  }
  expect(boundaries.size).toBe(5);
  for (const boundary of boundaries) expect(boundary).toMatch(/[0-9a-f]{32}$/);
});

test("a file that looks like a multipart body arrives as it is", async () => {
  const text = '--x\r\nContent-Disposition: form-data; name="file"; filename="y"\r\n\r\nhi\r\n--x--\r\n';
  const { parts } = await sentBy(new Blob([text]));
  expect(parts.map(({ bytes }) => bytes.toString())).toEqual([text]);
});

describe("a stream of another length than was said is refused", () => {
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
  ])("%s", async (_, said, real) => {
    const server = await createServer((__, response) => sendJson(response, uploaded));
    const options = { apiKey: "key", endpoints: endpointsAt(server.url) };
    const error = await failure(upload({ name: "s.bin", size: said, stream: bytes(real) }, options));
    expect(error).toMatchObject({
      code: "SOURCE_CHANGED",
      message: "The source changed while it was read: s.bin",
      details: { name: "s.bin", expectedBytes: said },
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
])("a stream that %s is refused as such", async (_, stream, expected) => {
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
