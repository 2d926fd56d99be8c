import { expect, test } from "vitest";
import { failure } from "../../../test/support/failure.ts";
import { s3Source } from "../src/index.ts";
import { getBytes, listAll, openBucket, readAll } from "./bucket.ts";
import { createClient, openSource } from "./client.ts";

const numbered = Array.from({ length: 2_345 }, (_, at) => `d${at % 7}/f${String(at).padStart(5, "0")}.txt`);

test("all objects are listed in the order of their keys, page after page, and behind any of them", async () => {
  const { server, source } = await openBucket({ keys: numbered });
  const sorted = [...numbered].sort();
  const { files, paths } = await listAll(source);
  expect(paths).toEqual(sorted);
  expect(server.requests.map(({ operation }) => operation)).toEqual(Array(3).fill("ListObjectsV2"));
  expect(files[0]).toEqual({ path: "d0/f00000.txt", size: 20, mtime: Date.UTC(2026, 0, 1), etag: expect.any(String) });
  for (const at of [0, 999, 1_000, 2_343, 2_344]) {
    expect((await listAll(source, sorted[at])).paths).toEqual(sorted.slice(at + 1));
  }
  // One that is gone, and one that never was.
  server.objects.remove("d3/f00003.txt");
  expect((await listAll(source, "d3/f00003.txt")).paths).toEqual(sorted.filter((path) => path > "d3/f00003.txt"));
  expect((await listAll(source, "z")).paths).toEqual([]);
});

/** Each is written in UTF-16 in another order than in UTF-8, or encoded in another way by a form, a URL and XML. */
const hardKeys = [
  " leading and trailing ",
  "plus+sign",
  "plus sign",
  "percent%20literal",
  "100%",
  "a&b<c>\"d'",
  "line\nbreak\r\ttab\u0001",
  "ümlaut/Ünïcode",
  "u\u0308mlaut",
  "日本/日本語.txt",
  "\u{1F600}/emoji",
  "\uFFFD/replacement",
  "\uE000/private",
  "semi;colon,comma:at@=eq?query#hash",
  "back\\slash",
  "~tilde!()*'",
  `long/${"é".repeat(497)}z`,
];

test("keys of any characters are listed and read", async () => {
  const { server, source } = await openBucket({ keys: hardKeys, pageSize: 2 });
  expect(Buffer.byteLength(hardKeys.at(-1) ?? "")).toBe(1_000);
  const { files, paths, skipped } = await listAll(source);
  expect(skipped).toEqual([]);
  expect(paths).toEqual([...hardKeys].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))));
  for (const [at, file] of files.entries()) {
    expect((await readAll(source, file)).equals(getBytes(server, file.path))).toBe(true);
    expect((await listAll(source, file.path)).paths).toEqual(paths.slice(at + 1));
  }
});

test("keys that are no paths are left out and reported, and empty objects that stand for folders are not", async () => {
  const bad = ["../up", "a//b", "a/./b", "/root", "nul\0", "x/..", "kept/-5b.d"];
  const { server, source } = await openBucket({ keys: ["a", "folder/", "folder/a", "z", ...bad] });
  server.objects.write("bytes/", { size: 3 });
  const { paths, skipped } = await listAll(source);
  expect(paths).toEqual(["a", "folder/a", "kept/-5b.d", "z"]);
  expect(skipped.map(({ path }) => path)).toEqual(["../up", "/root", "a/./b", "a//b", "bytes/", "nul\0", "x/.."]);
  expect(new Set(skipped.map(({ code }) => code))).toEqual(new Set(["INVALID_SOURCE"]));
  const strict = async () => {
    for await (const _ of source.list());
  };
  expect(await failure(strict())).toMatchObject({ code: "INVALID_SOURCE", details: { name: "../up" } });
});

test("a prefix is a folder, whose name is not part of the paths", async () => {
  const keys = ["photos/", "photos/2026/a.jpg", "photos/b.jpg", "photos-of-others/c.jpg", "photos"];
  const { server } = await openBucket({ keys });
  for (const prefix of ["photos", "photos/"]) {
    const source = openSource(server, { prefix });
    expect(source.place).toBe("s3://datasets/photos/");
    const { files, paths } = await listAll(source);
    expect(paths).toEqual(["2026/a.jpg", "b.jpg"]);
    expect((await listAll(source, "2026/a.jpg")).paths).toEqual(["b.jpg"]);
    const [first] = files;
    expect(first && (await readAll(source, first)).equals(getBytes(server, "photos/2026/a.jpg"))).toBe(true);
  }
  expect((await listAll(openSource(server, { prefix: "none" }))).paths).toEqual([]);
  expect((await listAll(openSource(server))).paths).toHaveLength(4);
});

const page = (contents: string, more = "<IsTruncated>false</IsTruncated>") =>
  `<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${more}${contents}</ListBucketResult>`;
const object = (key: string, size = "<Size>1</Size>") => `<Contents><Key>${key}</Key>${size}</Contents>`;

test.each([
  ["is not in the order of keys", page(object("b") + object("a"))],
  ["is not in the order of keys", page(object("a") + object("a"))],
  ["has a key without the prefix", page(object("a") + object("b")), "p/"],
  ["has an object without a size", page(object("a", ""))],
  ["has an object without a size", page(object("a", "<Size>-1</Size>"))],
  ["is cut off", page(object("a"), "<IsTruncated>true</IsTruncated>")],
])("a list that %s ends with an error", async (problem, body, prefix = "") => {
  const { server } = await openBucket();
  server.setFaults(() => ({ is: "send", body }));
  const error = await failure(listAll(openSource(server, { prefix })));
  expect(error).toMatchObject({ code: "INVALID_SOURCE", message: expect.stringContaining(problem) });
});

test("a list that starts again from the beginning ends with an error, not twice", async () => {
  const { server, source } = await openBucket({ keys: ["a", "b", "c"] });
  server.setFaults(() => ({ is: "send", body: page(object("a") + object("b") + object("c")) }));
  expect((await failure(listAll(source, "b"))).code).toBe("INVALID_SOURCE");
});

test("a server that encodes no keys is understood, too", async () => {
  const { server, source } = await openBucket();
  server.setFaults(() => ({ is: "send", body: page(object("a+b%41") + object("c d")) }));
  expect((await listAll(source)).paths).toEqual(["a+b%41", "c d"]);
});

test("options are checked", async () => {
  const { server } = await openBucket();
  const client = createClient(server);
  const wrong = [{ bucket: "" }, { prefix: 5 }, { client: {} }, { idleMs: 0 }, { Bucket: "b" }];
  for (const options of wrong) {
    const create = async () => s3Source({ bucket: "b", client, ...options } as never);
    expect((await failure(create())).code).toBe("INVALID_OPTION");
  }
});
