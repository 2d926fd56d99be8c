import { describe, expect, test } from "vitest";
import {
  type BearerOptions,
  createKit,
  type UploadedFile,
  type UploadOptions,
  upload,
  uploadCar,
  uploadEncrypted,
} from "../../src/index.ts";
import { failure } from "../support/failure.ts";
import { owner } from "../support/fixtures.ts";
import { createServer, endpointsAt, type Handler } from "../support/http-server.ts";
import { parseMultipart } from "../support/multipart.ts";
import { createMemoryNetwork } from "../support/net-memory.ts";
import { toStoredRows } from "../support/stored-rows.ts";

const cids = [
  "bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e",
  "bafkreifjjcie6lypi6ny7amxnfftagclbuxndqonfipmb64f2km2devei4",
  "Qmf412jQZiuVUtdgnB36FXFX7xg5V6KEbSJ4dpQuhkLyfD",
] as const;
const one: UploadedFile = { Name: "a.txt", Hash: cids[0], Size: "7" };
const two: UploadedFile = { Name: "b[1].txt", Hash: cids[1], Size: "9" };
const root: UploadedFile = { Name: "dir", Hash: cids[2], Size: "120" };
const inside: UploadedFile = { Name: "dir/a.txt", Hash: cids[0], Size: "7" };

const json = (value: unknown) => JSON.stringify(value);

async function uploadTo(
  text: string,
  options: Partial<Omit<UploadOptions, "apiKey" | "via" | "payPerUpload">> = {},
): Promise<UploadedFile[]> {
  const { url } = await createServer((_, response) => response.end(text));
  return upload(new Uint8Array(1), { apiKey: "key", endpoints: endpointsAt(url), ...options });
}

describe("an upload node's response is read in every form in use", () => {
  test.each<[string, string, UploadedFile[]]>([
    ["one object", json(one), [one]],
    ["one object, spread over lines", JSON.stringify(one, undefined, 2), [one]],
    ["a list of one", json([one]), [one]],
    ["a list", json([one, two]), [one, two]],
    ["a list after other text", `uploading… 50 %\n{"progress": 1}\n${json([one, two])}`, [one, two]],
    ["a list after another list", `[1, 2]\n${json([one, two])}`, [one, two]],
    ["a list after text with brackets", `[info] done [2/2] ${json([two])}\n`, [two]],
    ["a list over several lines after other text", `ok\n${JSON.stringify([one, two], undefined, 1)}`, [one, two]],
    ["one object per line", `${json(one)}\n${json(two)}\n`, [one, two]],
    ["one object per line, with CRLF and empty lines", `${json(one)}\r\n\r\n${json(two)}\r\n`, [one, two]],
    ["items with unknown fields", json([{ ...one, Mode: "0644" }]), [{ ...one, Mode: "0644" }]],
    ["fields that no node knows", json({ ...one, storage: "walrus", nodesMissing: null, receipt: {} }), [one]],
    ["a size that is a number", json([{ ...one, Size: 7 }]), [one]],
    ["a size that is null", json({ ...one, Size: null }), [{ Name: "a.txt", Hash: cids[0] }]],
    ["a size that is an object", json({ ...one, Size: {} }), [{ Name: "a.txt", Hash: cids[0] }]],
    ["an item without a name", json({ Hash: cids[0] }), [{ Name: "blob", Hash: cids[0] }]],
    ["items without names", json([{ ...one, Name: null }, two]), [{ ...one, Name: "" }, two]],
    ["a name that is a number", json([{ ...one, Name: 5 }]), [{ ...one, Name: "5" }]],
    ["progress without CIDs", `{"Name":"a.txt","Bytes":3}\n${json(one)}`, [one]],
    ["rows that are not objects", json([null, 7, one]), [one]],
    [
      "a list whose strings have brackets and quotes",
      `x ${json([{ ...one, Name: '\\"[]\\' }])}`,
      [{ ...one, Name: '\\"[]\\' }],
    ],
    ["items without a size", json({ Name: "a.txt", Hash: cids[0] }), [{ Name: "a.txt", Hash: cids[0] }]],
    ["a folder after its contents", json([inside, root]), [root, inside]],
    ["a folder per line after its contents", `${json(inside)}\n${json(root)}`, [root, inside]],
    ["a wrapping folder without a name", json([one, { ...root, Name: "" }]), [{ ...root, Name: "" }, one]],
  ])("%s", async (_, text, expected) => {
    expect(await uploadTo(text)).toEqual(expected);
  });
});

describe("names that an upload node reads as identical are refused before anything is sent", () => {
  const pairs: [string, string][] = [
    ["a\ud800", "a\ud801"],
    ["a\ud800", "a\ufffd"],
    ['a"', "a%22"],
    ["a\r", "a%0D"],
    ["a\n", "a%0a"],
    ["x+y", "x y"],
    ["x y", "x%20y"],
    ["%41", "A"],
    ["é", "%C3%A9"],
    ["%ff", "%fe"],
    ["a\\(b", "a(b"],
    ["dir/a%2Fb", "dir/a/b"],
  ];
  test.each(pairs)("%j and %j", async (first, second) => {
    const { url, requests } = await createServer((_, response) => response.end(json([one])));
    const source = () => [first, second].map((name) => ({ name, stream: new Blob(["x"]).stream() }));
    const options = { apiKey: "key", endpoints: endpointsAt(url) };
    const refused = { code: "DUPLICATE_NAME", details: { name: second, first } };
    expect(await failure(upload(source(), options))).toMatchObject(refused);
    if (!first.includes("/"))
      expect(await failure(uploadEncrypted(source(), { ...options, ...owner }))).toMatchObject(refused);
    expect(requests).toEqual([]);
  });

  test("names with a malformed escape are read unchanged", async () => {
    const files = ["100% x", "100%+x", "%", "%2", "a%zz+", "a%zz "].map((name) => new File(["x"], name));
    const { url, requests } = await createServer((_, response) => response.end(json([one])));
    await upload(files, { apiKey: "key", endpoints: endpointsAt(url) });
    expect(requests).toHaveLength(1);
  });
});

describe("encrypted files whose CIDs are not the computed ones are matched by name", () => {
  /** Names that are sent, names in the response, and the index of each file among these, if it is unambiguous. */
  const cases: [string, string[], string[], number[] | undefined][] = [
    ["one decoded, the other unchanged", ["a+b", "c+d"], ["c+d", "a b"], [1, 0]],
    ["two that a Kubo-like node decodes", ["c%25.txt", "a+b.txt"], ["a b.txt", "c%.txt"], [1, 0]],
    ["a lone surrogate, which a node's JSON cannot contain", ["a\ud800", "b"], ["b", "a\ufffd"], [1, 0]],
    ["one that the response does not name", ["x+y", "z"], ["x y", "a"], undefined],
    ["one item for two names", ["a%2Bb", "a+b"], ["a+b"], undefined],
    ["two items of one name", ["a%22b", "c"], ['a"b', 'a"b'], undefined],
    ["two items of one name, unchanged", ["a%22b", "c"], ["a%22b", "a%22b"], undefined],
    ["two items of one name beside the other file's", ["a%22b", "c"], ['a"b', 'a"b', "c"], undefined],
  ];
  test.each(cases)("%s", async (_, names, storedNames, expected) => {
    const stored = storedNames.map((Name, at) => ({ Name, Hash: cids[at] ?? "", Size: "45" }));
    const contents = new Map<string, Uint8Array>();
    const { url, requests } = await createServer(async ({ path, headers, body }, response) => {
      const cat = /\/cat\/(.*)/.exec(path)?.[1];
      if (cat !== undefined) return response.end(contents.get(cat));
      if (path !== "/api/v0/add") return response.end(json({ message: "success", payload: null }));
      const parts = await parseMultipart(headers, body);
      for (const [at, { bytes }] of parts.entries()) contents.set(cids[expected?.[at] ?? at] ?? "", bytes);
      return response.end(json(stored));
    });
    const call = uploadEncrypted(
      names.map((name) => ({ name, stream: new Blob(["x"]).stream() })),
      { apiKey: "key", endpoints: endpointsAt(url), pauseMs: 0, ...owner },
    );
    if (expected) {
      expect(await call).toEqual(expected.map((at) => stored[at]));
    } else {
      expect(await failure(call)).toMatchObject({ name: "UnfinishedError", code: "INVALID_RESPONSE" });
      expect(requests).toHaveLength(1);
    }
  });

  test("each can then be decrypted", async () => {
    const network = await createMemoryNetwork();
    const options = { apiKey: "key", endpoints: endpointsAt(network.url), pauseMs: 0, ...owner };
    const names = ["a%22b.txt", "x+y.txt", "x-y.txt", 'c"d.txt', "100%.txt"];
    const files = await uploadEncrypted(
      names.map((name) => new File([name], name)),
      options,
    );
    const opened = await Promise.all(files.map(({ Hash }) => createKit(options).decrypt(Hash)));
    expect(opened.map((bytes) => new TextDecoder().decode(bytes))).toEqual(names);
  });
});

describe("a response in any other form is refused", () => {
  test.each([
    ["an empty body", "", "INVALID_JSON Invalid JSON response"],
    ["a page", "<html><body>[ok]</body></html>", "INVALID_JSON Invalid JSON response"],
    ["truncated JSON", json([one]).slice(0, -3), "INVALID_JSON Invalid JSON response"],
    ["lines of which one is truncated", `${json(one)}\n${json(two).slice(0, 9)}`, "INVALID_JSON Invalid JSON response"],
    ["a number", "7", "INVALID_JSON Invalid JSON response"],
    ["null", "null", "INVALID_JSON Invalid JSON response"],
    ["an empty list", "[]", "INVALID_RESPONSE The upload node's response names no file"],
    ["a list without objects", "[1]", "INVALID_RESPONSE The upload node's response names no file"],
    ["an object of another kind", '{"Key": "x"}', "INVALID_RESPONSE The upload node's response names no file"],
    [
      "a row without a content id",
      json({ Name: "a.txt" }),
      "INVALID_RESPONSE The upload node's response names no file",
    ],
    ["megabytes of brackets and quotes", `x${'["[",'.repeat(2_000_000)}]`, "INVALID_JSON Invalid JSON response"],
    ["megabytes of lists that never end", `x${"[1,".repeat(3_000_000)}]`, "INVALID_JSON Invalid JSON response"],
    ["megabytes of empty lines", `${"\n".repeat(10_000_000)}[`, "INVALID_JSON Invalid JSON response"],
    ["megabytes of backslashes", `x["${"\\".repeat(10_000_001)}"]`, "INVALID_JSON Invalid JSON response"],
  ])("%s", async (_, text, expected) => {
    const error = await failure(uploadTo(text));
    expect(`${error.code} ${error.message}`).toBe(expected);
    expect(JSON.stringify(error)).not.toContain("key");
  });

  const notCids: [string, unknown][] = [
    ["undefined", "undefined"],
    ["null as a string", "null"],
    ["null", null],
    ["a number", 5],
    ["an empty string", ""],
    ["a space", " "],
    ["a path", "../../etc/passwd"],
    ["an escape sequence", "\u001b[31mred"],
    ["a CID and a suffix", `${cids[0]}?x=1`],
    ["100,000 characters", "b".repeat(100_000)],
  ];
  describe.each(notCids)("a CID that is %s", (_, Hash) => {
    async function refuse(call: (options: BearerOptions) => Promise<unknown>, rows: unknown) {
      const { url, requests } = await createServer((__, response) => response.end(json(rows)));
      const error = await failure(call({ apiKey: "key", endpoints: endpointsAt(url) }));
      expect(error.code).toBe("INVALID_RESPONSE");
      expect(error.message).toMatch(/^The upload node returned an invalid content id: [\x20-\x7e…]{1,81}$/);
      expect(requests).toHaveLength(1);
      return error;
    }
    const a = new File(["1"], "a.txt");
    const b = new File(["2"], "b.txt");

    test("unencrypted, with the stored files in the details", async () => {
      const error = await refuse(
        (options) => upload([a, b], options),
        [
          { ...one, Hash },
          { ...two, Name: "b.txt" },
        ],
      );
      expect(error.details).toMatchObject({ stored: [{ ...two, Name: "b.txt" }] });
    });
    test("of an archive", async () => {
      expect((await refuse((options) => uploadCar(a, options), { ...one, Hash })).details).toMatchObject({
        stored: [],
      });
    });
    test("encrypted, with the keys on the error", async () => {
      const error = await refuse((options) => uploadEncrypted(a, { ...options, ...owner }), [{ ...one, Hash }]);
      expect(error).toMatchObject({ name: "UnfinishedError", details: { bodySent: true, names: ["a.txt"] } });
    });
  });

  test("a CID that is nested too deeply, with the keys on the error", async () => {
    const nested = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
    const { url } = await createServer((_, response) => response.end(`{"Name":"a.txt","Hash":${nested}}`));
    const options = { ...owner, apiKey: "key", endpoints: endpointsAt(url) };
    expect(await failure(uploadEncrypted(new File(["1"], "a.txt"), options))).toMatchObject({
      name: "UnfinishedError",
      code: "INVALID_JSON",
      details: { bodySent: true, names: ["a.txt"] },
    });
  });

  test.each([
    ["", "No JSON array found in response"],
    [`${json(one)} and more`, "No JSON array found in response"],
    [json([one]), "The upload node's response does not name b.txt"],
    [json([one, two]), "The upload node's response does not name b.txt"],
  ])("several encrypted files, response %j: '%s'", async (text, message) => {
    const { url } = await createServer((_, response) => response.end(text));
    const files = [new File(["1"], "a.txt"), new File(["2"], "b.txt")];
    const error = await failure(uploadEncrypted(files, { apiKey: "key", endpoints: endpointsAt(url), ...owner }));
    expect(error).toMatchObject({ name: "UnfinishedError", code: "INVALID_RESPONSE", message });
    expect(error.details).toMatchObject({ bodySent: true, names: ["a.txt", "b.txt"] });
  });
});

describe("the CIDs in a damaged response are kept", () => {
  const cut = json(root).slice(0, -9);
  const damaged: [string, string, UploadedFile[]][] = [
    ["a truncated last line", `${json(one)}\n${json(two)}\n${cut}`, [one, two]],
    ["a truncated line between others", `${json(one)}\n${cut}\n${json(two)}\n`, [one, two]],
    ["a truncated list", `[${json(one)},${cut}`, [one]],
    ["a line that is truncated within its CID", `${json(one)}\n{"Name":"b","Hash":"bafk`, [one]],
  ];

  test.each(damaged)("%s", async (_, text, stored) => {
    const error = await failure(uploadTo(text));
    expect(error).toMatchObject({ code: "INVALID_JSON", details: { status: 200 } });
    expect(error.details["stored"]).toEqual(stored);
  });

  test.each(damaged)("of several encrypted files: %s", async (_, text, stored) => {
    const { url } = await createServer((__, response) => response.end(text));
    const files = [new File(["1"], "a.txt"), new File(["2"], "b.txt")];
    const error = await failure(uploadEncrypted(files, { apiKey: "key", endpoints: endpointsAt(url), ...owner }));
    expect(error).toMatchObject({ name: "UnfinishedError", details: { bodySent: true, names: ["a.txt", "b.txt"] } });
    expect(error.details["stored"]).toEqual(stored);
  });

  test("a response without CIDs has none in its details", async () => {
    expect((await failure(uploadTo('{"Hash":"no content id"} and more'))).details).not.toHaveProperty("stored");
  });
});

describe("the request of an upload", () => {
  async function captureRequest(
    call: (options: { apiKey: string; endpoints: ReturnType<typeof endpointsAt> }) => Promise<unknown>,
  ) {
    const handler: Handler = async (request, response) =>
      response.end(json(request.path === "/api/v0/add" ? await toStoredRows(request) : { message: "success" }));
    const server = await createServer(handler);
    await call({ apiKey: "key", endpoints: endpointsAt(server.url) });
    const [request] = server.requests;
    const { authorization, encryption, "mime-type": mimeType } = request?.headers ?? {};
    const headers = { authorization, encryption, mimeType };
    return { line: `${request?.method} ${request?.path}`, query: request?.query, headers: JSON.parse(json(headers)) };
  }
  const line = "POST /api/v0/add";
  const headers = { authorization: "Bearer key" };
  const files = [new File(["1"], "a.txt"), new File(["2"], "b.txt")];

  test("one file", async () => {
    expect(await captureRequest((o) => upload(new Blob(["x"]), o))).toEqual({
      line,
      query: { "cid-version": "1" },
      headers,
    });
  });
  test("CIDs of version 0", async () => {
    const { query } = await captureRequest((o) => upload(new Blob(["x"]), { ...o, cidVersion: 0 }));
    expect(query).toEqual({ "cid-version": "0" });
  });
  test("several files, in a folder or not", async () => {
    const plain = await captureRequest((o) => upload(files, o));
    expect(plain.query).toEqual({ "cid-version": "1", "wrap-with-directory": "false" });
    const wrapped = await captureRequest((o) => upload(files, { ...o, wrapWithDirectory: true }));
    expect(wrapped.query).toEqual({ "cid-version": "1", "wrap-with-directory": "true" });
  });
  test("encrypted files", async () => {
    const { query, headers: sent } = await captureRequest((o) =>
      uploadEncrypted(files, { ...o, ...owner, pauseMs: 0 }),
    );
    expect(query).toEqual({ "cid-version": "1", "wrap-with-directory": "false" });
    expect(sent).toEqual({ ...headers, encryption: "true", mimeType: "text/plain" });
  });
  test("another version is refused", async () => {
    const error = await failure(upload(new Blob(["x"]), { apiKey: "key", cidVersion: 2 as 1 }));
    expect(error).toMatchObject({ code: "INVALID_OPTION", message: "Invalid option cidVersion: expected 0 or 1" });
  });
});
