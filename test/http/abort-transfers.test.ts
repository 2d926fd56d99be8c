import { getEventListeners } from "node:events";
import { mkdir, readdir, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  decrypt,
  download,
  encryptBytes,
  type Source,
  type UploadOptions,
  upload,
  uploadEncrypted,
} from "../../src/index.ts";
import { failure } from "../support/failure.ts";
import { scratch } from "../support/files.ts";
import { opaqueCid as cid, owner } from "../support/fixtures.ts";
import { createGate, type Gate } from "../support/gate.ts";
import { createServer, endpointsAt, type Handler, sendJson } from "../support/http-server.ts";
import { abortAt } from "../support/net-abort.ts";

const key = "0b".repeat(32);
const MIB = 1024 * 1024;
const encrypted = await encryptBytes(new Uint8Array(MIB), key);

async function createBigFile(): Promise<string> {
  const path = join(await scratch(), "big.bin");
  await writeFile(path, "");
  await truncate(path, 256 * MIB);
  return path;
}

async function* yieldThenHang(first: Uint8Array, released: Gate): AsyncGenerator<Uint8Array> {
  try {
    yield first;
    await new Promise(() => undefined);
  } finally {
    released.reach();
  }
}

type Send = (
  source: Source,
  options: Partial<Omit<UploadOptions, "apiKey" | "via" | "payPerUpload">>,
) => Promise<unknown>;

const uploads: [string, Send][] = [
  ["upload", (source, options) => upload(source, { apiKey: "key", ...options })],
  ["uploadEncrypted", (source, options) => uploadEncrypted(source, { apiKey: "key", ...owner, ...options })],
];

describe.each(uploads)("%s", (_, send) => {
  test("before it starts: nothing is sent", async () => {
    const stage = createGate();
    stage.reach();
    const server = await createServer(() => undefined);
    const signal = AbortSignal.abort();
    const error = await failure(send(new Uint8Array(1), { signal, endpoints: endpointsAt(server.url) }));
    expect(error.code).toBe("ABORTED");
    expect(server.requests).toEqual([]);
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });

  test("while a folder is walked", async () => {
    const folder = await scratch();
    for (let at = 0; at < 200; at++) await mkdir(join(folder, String(at)));
    await Promise.all(Array.from({ length: 200 }, (__, at) => writeFile(join(folder, String(at), "file"), "x")));
    const stage = createGate();
    setImmediate(stage.reach);
    const server = await abortAt(
      stage,
      () => undefined,
      (options) => send(folder, options),
    );
    expect(server.requests).toEqual([]);
  });

  test("while the body is sent and the server does not read", async () => {
    const stage = createGate();
    const path = await createBigFile();
    const handler: Handler = (__, ___, incoming) => {
      setTimeout(stage.reach, 50);
      // A server that does not read does not notice the end either.
      void stage.reached.then(() => incoming.on("error", () => undefined).resume());
    };
    await abortAt(stage, handler, (options) => send(path, options), { read: false });
  });

  test("while the body is sent at full speed", async () => {
    const stage = createGate();
    const path = await createBigFile();
    const handler: Handler = (__, ___, incoming) => {
      let received = 0;
      incoming
        .on("error", () => undefined)
        .on("data", (chunk: Buffer) => {
          received += chunk.length;
          if (received > 16 * MIB) stage.reach();
        });
    };
    await abortAt(stage, handler, (options) => send(path, options), { read: false });
  });

  test.each<[string, (released: Gate) => AsyncIterable<Uint8Array> | ReadableStream<Uint8Array>]>([
    ["an async iterable", (released) => yieldThenHang(new Uint8Array(10), released)],
    [
      "a ReadableStream",
      (released) =>
        new ReadableStream({
          start: (controller) => controller.enqueue(new Uint8Array(10)),
          cancel: () => released.reach(),
        }),
    ],
  ])("while the source, %s, has no data ready", async (__, make) => {
    const stage = createGate();
    const released = createGate();
    const handler: Handler = (___, ____, incoming) =>
      incoming.on("error", () => undefined).once("data", () => stage.reach());
    const source = make(released);
    await abortAt(stage, handler, (options) => send({ name: "slow", stream: source }, options), { read: false });
    if (source instanceof ReadableStream) await released.reached;
  });

  test("while it waits for the response", async () => {
    const stage = createGate();
    await abortAt(
      stage,
      () => stage.reach(),
      (options) => send(new Uint8Array(100), options),
    );
  });
});

/** Sends the first half of a file, then nothing. */
const sendHalf: (stage: Gate, bytes: Uint8Array) => Handler = (stage, bytes) => (_, response) => {
  response.writeHead(200, { "Content-Length": String(bytes.length) });
  response.write(bytes.subarray(0, bytes.length / 2), () => setTimeout(stage.reach, 20));
};

describe.each<[string, typeof download]>([
  ["download", ((id: string, options: object) => download(id, { verifyCid: false, ...options })) as typeof download],
  ["decrypt", ((id: string, options: object) => decrypt(id, { verifyCid: false, key, ...options })) as typeof download],
])("%s", (_, fetch) => {
  test.each(["bytes", "blob", "stream"] as const)("to %s, in the middle of the file", async (as) => {
    const stage = createGate();
    await abortAt(stage, sendHalf(stage, encrypted), (options) => fetch(cid, { ...options, as } as { as: "bytes" }));
  });

  test("to a path, in the middle of the file: the previous file stays unchanged", async () => {
    const stage = createGate();
    const folder = await scratch();
    const to = join(folder, "target");
    await writeFile(to, "old");
    await abortAt(stage, sendHalf(stage, encrypted), (options) => fetch(cid, { ...options, to }));
    expect(await readdir(folder)).toEqual(["target"]);
  });

  test("to a path, before the response starts", async () => {
    const stage = createGate();
    const folder = await scratch();
    await abortAt(
      stage,
      () => stage.reach(),
      (options) => fetch(cid, { ...options, to: join(folder, "target") }),
    );
    expect(await readdir(folder)).toEqual([]);
  });
});

test("decrypt, while the key is derived", async () => {
  const stage = createGate();
  const handler: Handler = (_, response) => {
    response.writeHead(200, { "Content-Length": "1000" });
    response.write(encrypted.subarray(0, 100), () => setImmediate(() => setImmediate(stage.reach)));
  };
  await abortAt(stage, handler, (options) => decrypt(cid, { verifyCid: false, ...options, key }));
});

test("an encrypted upload of many files, while their keys are derived", async () => {
  const stage = createGate();
  const files = Array.from({ length: 50 }, (_, at) => new File(["x"], `${at}.txt`));
  const handler: Handler = (_, __, incoming) => incoming.on("error", () => undefined).once("data", () => stage.reach());
  await abortAt(stage, handler, (options) => uploadEncrypted(files, { ...options, ...owner, apiKey: "key" }), {
    read: false,
  });
});

test("one signal serves many calls in a row, and keeps no listeners of finished calls", async () => {
  const server = await createServer((_, response) => sendJson(response, { Name: "blob", Hash: cid, Size: "1" }));
  const { signal } = new AbortController();
  for (let at = 0; at < 20; at++)
    await upload(new Uint8Array(1), { apiKey: "k", signal, endpoints: endpointsAt(server.url) });
  expect(getEventListeners(signal, "abort")).toEqual([]);
});
