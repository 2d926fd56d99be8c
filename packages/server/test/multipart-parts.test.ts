import fc from "fast-check";
import { expect, test } from "vitest";
import { createFraming } from "../../../src/platform/multipart.ts";
import { parseMultipart } from "../../../test/support/multipart.ts";
import { readBoundary, readParts } from "../src/multipart-parts.ts";

async function* cut(bytes: Uint8Array, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  let at = 0;
  for (let turn = 0; at < bytes.length; turn++) {
    const size = Math.max(1, sizes[turn % sizes.length] ?? 1);
    yield bytes.slice(at, at + size);
    at += size;
  }
}

async function parse(body: Uint8Array, boundary: string, sizes: readonly number[]) {
  const found: { filename: string; type: string; bytes: Buffer }[] = [];
  for await (const { name, type, chunks } of readParts(cut(body, sizes), boundary)) {
    const all: Uint8Array[] = [];
    for await (const chunk of chunks) all.push(chunk.slice());
    found.push({ filename: name ?? "", type, bytes: Buffer.concat(all) });
  }
  return found;
}

/** Bytes that often look like the start of a boundary. */
const content = (boundary: string) =>
  fc
    .array(
      fc.oneof(
        fc.constantFrom("\r", "\n", "\r\n", "--", "\r\n--", `\r\n--${boundary.slice(0, -1)}`, "a"),
        fc.string({ maxLength: 20, unit: "binary" }),
      ),
      { maxLength: 12 },
    )
    .map((texts) => Buffer.from(texts.join(""), "utf8"))
    .filter((bytes) => !bytes.includes(boundary));

test("forms are read as they are written, however they are cut, and as another parser reads them", async () => {
  const { boundary, contentType, head, foot, end } = createFraming();
  const file = fc.record({
    name: fc.constantFrom("a.txt", "b/c.txt", 'quo"te', "日本.txt", "x y+z"),
    bytes: content(boundary),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(file, { minLength: 1, maxLength: 4 }),
      fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1, maxLength: 5 }),
      async (files, sizes) => {
        const parts = files.flatMap(({ name, bytes }) => [head(name, "text/plain"), bytes, foot]);
        const body = Buffer.concat([...parts, end]);
        const found = await parse(body, readBoundary(contentType), sizes);
        const expected = files.map(({ name, bytes }) => ({ filename: name, type: "text/plain", bytes }));
        const byBusboy = await parseMultipart({ "content-type": contentType }, body);
        expect(found).toEqual(expected);
        expect(byBusboy.map(({ field: _, ...rest }) => rest)).toEqual(expected);
      },
    ),
    { numRuns: 300 },
  );
});

test.each([
  ["multipart/form-data; boundary=abc", "abc"],
  ['Multipart/Form-Data; charset=utf-8; boundary="a b"', "a b"],
  ["multipart/form-data;boundary=abc; x=1", "abc"],
])("the boundary of %s is %s", (type, boundary) => {
  expect(readBoundary(type)).toBe(boundary);
});
