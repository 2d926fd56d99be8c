import { describe, expect, onTestFinished, test } from "vitest";
import {
  decrypt,
  download,
  encryptBytes,
  kavachGenerate,
  type Progress,
  type Source,
  type UnfinishedUpload,
  upload,
  uploadEncrypted,
} from "../../src/index.ts";
import { failure } from "../support/failure.ts";
import { opaqueCid as cid, owner } from "../support/fixtures.ts";
import { createServer, endpointsAt, type Handler, sendJson } from "../support/http-server.ts";
import { createKeyNetwork } from "../support/net-nodes.ts";
import { toStoredRows } from "../support/stored-rows.ts";

const key = "0b".repeat(32);
const SIZE = 3_000_000;
const encrypted = await encryptBytes(new Uint8Array(SIZE), key);
const encryptedNothing = await encryptBytes(new Uint8Array(0), key);

async function* stream(size: number): AsyncGenerator<Uint8Array> {
  for (let sent = 0; sent < size; sent += 10_000) yield new Uint8Array(Math.min(10_000, size - sent));
}

/** Creates a handler for all services; the file can be empty, or have no announced length. */
function createNetwork(options: { empty?: boolean; chunked?: boolean } = {}): Handler {
  const file = options.empty ? encryptedNothing : encrypted;
  return async (request, response) => {
    const { path } = request;
    if (path === "/api/v0/add") return sendJson(response, await toStoredRows(request));
    if (path.startsWith("/api/v0/cat/")) {
      if (!options.chunked) response.setHeader("Content-Length", file.length);
      response.write(file.subarray(0, 20));
      return response.end(file.subarray(20));
    }
    return sendJson(response, { message: "success" });
  };
}

type Call = (options: {
  endpoints: ReturnType<typeof endpointsAt>;
  onProgress: (progress: Progress) => void;
}) => Promise<unknown>;

const callUpload =
  (source: () => Source): Call =>
  (options) =>
    upload(source(), { apiKey: "k", ...options });
const callUploadEncrypted =
  (source: () => Source): Call =>
  (options) =>
    uploadEncrypted(source(), { apiKey: "k", pauseMs: 0, ...owner, ...options });

const createSource = (name: string, size: number, known = true) => ({
  name,
  stream: stream(size),
  ...(known ? { size } : {}),
});

const calls: [string, Call, Handler, total: number | undefined][] = [
  ["upload", callUpload(() => createSource("f", SIZE)), createNetwork(), SIZE],
  ["upload of an unknown size", callUpload(() => createSource("f", SIZE, false)), createNetwork(), undefined],
  [
    "upload of several files",
    callUpload(() => [createSource("f", SIZE), createSource("g", SIZE)]),
    createNetwork(),
    2 * SIZE,
  ],
  ["upload of an empty file", callUpload(() => new Uint8Array(0)), createNetwork(), 0],
  ["uploadEncrypted", callUploadEncrypted(() => createSource("f", SIZE)), createNetwork(), 5],
  ["uploadEncrypted of an unknown size", callUploadEncrypted(() => createSource("f", SIZE, false)), createNetwork(), 5],
  [
    "uploadEncrypted of several files",
    callUploadEncrypted(() => [createSource("f", SIZE), createSource("g", SIZE)]),
    createNetwork(),
    10,
  ],
  ["uploadEncrypted of an empty file", callUploadEncrypted(() => new Uint8Array(0)), createNetwork(), 5],
  ["download", (options) => download(cid, { ...options, verifyCid: false }), createNetwork(), encrypted.length],
  [
    "download of an unknown size",
    (options) => download(cid, { ...options, verifyCid: false }),
    createNetwork({ chunked: true }),
    undefined,
  ],
  ["decrypt", (options) => decrypt(cid, { verifyCid: false, key, ...options }), createNetwork(), encrypted.length],
  [
    "decrypt of an unknown size",
    (options) => decrypt(cid, { verifyCid: false, key, ...options }),
    createNetwork({ chunked: true }),
    undefined,
  ],
  [
    "decrypt of an empty file",
    (options) => decrypt(cid, { verifyCid: false, key, ...options }),
    createNetwork({ empty: true }),
    44,
  ],
  [
    "download of an empty file",
    (options) => download(cid, { ...options, verifyCid: false }),
    (_, response) => response.end(),
    0,
  ],
];

const SINGLE_REPORT = new Set(["upload of an empty file", "download of an empty file"]);

describe.each(calls)("%s", (name, call, handler, total) => {
  test("reports progress that never decreases, from 0 to 1, and is 1 only at the very end", async () => {
    const { url } = await createServer(handler);
    const reported: Progress[] = [];
    await call({ endpoints: endpointsAt(url), onProgress: (progress) => reported.push({ ...progress }) });
    const fractions = reported.map(({ fraction }) => fraction);
    expect(fractions).toEqual([...fractions].sort((a, b) => a - b));
    expect(fractions.every((fraction) => fraction >= 0 && fraction <= 1)).toBe(true);
    expect(fractions.filter((fraction) => fraction === 1)).toEqual([1]);
    expect(fractions.at(-1)).toBe(1);
    expect(reported.length).toBeLessThan(500);
    expect(reported.at(-1)?.total).toBe(total);
    for (const { loaded, total: of } of reported) expect(loaded).toBeLessThanOrEqual(of ?? Number.POSITIVE_INFINITY);
    if (total !== undefined) expect(reported.at(-1)?.loaded).toBe(total);
  });

  test("the result is returned even if the listener throws at the last report", async () => {
    const { url } = await createServer(handler);
    const endpoints = endpointsAt(url);
    const expected = await call({ endpoints, onProgress: () => undefined });
    const onProgress = ({ fraction }: Progress) => {
      if (fraction === 1) throw new Error("the bar is gone");
    };
    const result = await call({ endpoints, onProgress });
    if (expected instanceof Uint8Array) expect(Buffer.compare(result as Uint8Array, expected)).toBe(0);
    else if (Array.isArray(expected)) expect(result).toMatchObject(expected.map(({ Name, Size }) => ({ Name, Size })));
    else expect(result).toEqual(expected);
  });

  test("an earlier error of the listener ends the call", async () => {
    const { url } = await createServer(handler);
    const onProgress = ({ fraction }: Progress) => {
      if (fraction < 1) throw new Error("the bar is gone");
    };
    const outcome = await call({ endpoints: endpointsAt(url), onProgress }).then(
      () => "done",
      (error: Error) => `${error.cause ?? error}`,
    );
    // An empty file may have only the last report.
    expect(outcome).toBe(SINGLE_REPORT.has(name) ? "done" : "Error: the bar is gone");
  });

  test("a failure never reports 1", async () => {
    const { url } = await createServer((_, response) => response.writeHead(500).end());
    const fractions: number[] = [];
    const onProgress = ({ fraction }: Progress) => void fractions.push(fraction);
    await failure(call({ endpoints: endpointsAt(url), onProgress }));
    expect(Math.max(0, ...fractions)).toBeLessThan(1);
  });
});

test("progress is at most 0.999 until the response arrives", async () => {
  let respond: (() => void) | undefined;
  const server = await createServer((_, response) => {
    respond = () => sendJson(response, { Name: "f", Hash: cid, Size: "1" });
  });
  const reported: Progress[] = [];
  const call = callUpload(() => new Uint8Array(SIZE))({
    endpoints: endpointsAt(server.url),
    onProgress: (p) => reported.push(p),
  });
  await expect.poll(() => respond).toBeDefined();
  expect(reported.at(-1)).toEqual({ phase: "uploading", loaded: SIZE, total: SIZE, fraction: 0.999 });
  respond?.();
  await call;
  expect(reported.at(-1)?.fraction).toBe(1);
});

test("an encrypted upload reports the phase uploading, then saving keys", async () => {
  const { url } = await createServer(createNetwork());
  const phases: string[] = [];
  const onProgress = ({ phase }: Progress) => {
    if (phases.at(-1) !== phase) phases.push(phase);
  };
  await callUploadEncrypted(() => createSource("f", SIZE))({ endpoints: endpointsAt(url), onProgress });
  expect(phases).toEqual(["uploading", "saving-keys"]);
});

test("a file is returned even if onKeyRecovered throws or rejects, which ends nothing else", async () => {
  const { keyShards, masterKey } = await kavachGenerate();
  const plain = new TextEncoder().encode("the very bytes");
  const { url } = await createKeyNetwork(keyShards, await encryptBytes(plain, masterKey));
  const unhandled: unknown[] = [];
  const listen = (reason: unknown) => void unhandled.push(reason);
  process.on("unhandledRejection", listen);
  onTestFinished(() => void process.off("unhandledRejection", listen));
  const fail = () => {
    throw new Error("no place to write it down");
  };
  for (const onKeyRecovered of [fail, async () => fail()]) {
    const options = { verifyCid: false, ...owner, pauseMs: 0, endpoints: endpointsAt(url), onKeyRecovered };
    expect(await decrypt(cid, options)).toEqual(plain);
  }
  await new Promise(setImmediate);
  expect(unhandled).toEqual([]);
});

test("if the listener ends an encrypted upload while keys are saved, it can be resumed", async () => {
  const { url, requests } = await createServer(createNetwork());
  const onProgress = ({ phase, loaded }: Progress) => {
    if (phase === "saving-keys" && loaded === 4) throw new Error("the bar is gone");
  };
  const call = callUploadEncrypted(() => createSource("f", SIZE))({ endpoints: endpointsAt(url), onProgress });
  const error = (await failure(call)) as UnfinishedUpload;
  expect(error).toMatchObject({ code: "SHARDS_NOT_SAVED", cause: { message: "the bar is gone" } });
  const reported: Progress[] = [];
  const stored = await error.resume({ onProgress: (progress) => void reported.push(progress) });
  expect(stored).toMatchObject([{ Name: "f" }]);
  expect(reported.at(-1)).toMatchObject({ phase: "saving-keys", loaded: 5, fraction: 1 });
  expect(requests.filter(({ path }) => path === "/api/v0/add")).toHaveLength(1);
});
