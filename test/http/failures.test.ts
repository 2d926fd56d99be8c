import { describe, expect, test } from "vitest";
import {
  createApiKey,
  decrypt,
  download,
  getAuthMessage,
  kavachGetAuthMessage,
  kavachSaveShards,
  kavachShare,
  listFiles,
  upload,
} from "../../src/index.ts";
import { failure } from "../support/failure.ts";
import { address, opaqueCid as cid, hostMessage, keyShards, owner } from "../support/fixtures.ts";
import { createServer, endpointsAt, findClosedUrl, type Handler } from "../support/http-server.ts";
import { watchLeaks } from "../support/leaks.ts";

const quick = { attempts: 1, pauseMs: 0, retryMs: 0 };

type Call = (options: { endpoints: ReturnType<typeof endpointsAt>; timeoutMs?: number }) => Promise<unknown>;

const oneRequest: [name: string, Call][] = [
  ["getAuthMessage", (options) => getAuthMessage(address, options)],
  ["createApiKey", (options) => createApiKey({ ...options, address, signedMessage: "0xabc" })],
  ["upload", (options) => upload(new Uint8Array(10), { ...options, apiKey: "key" })],
  ["download", (options) => download(cid, { ...options, verifyCid: false })],
  ["decrypt with a key", (options) => decrypt(cid, { verifyCid: false, ...options, key: "ab".repeat(32) })],
  ["kavachGetAuthMessage", (options) => kavachGetAuthMessage(address, { ...options, ...quick })],
  ["kavachShare", (options) => kavachShare(cid, { ...options, ...quick, ...owner, shareTo: address })],
  ["kavachSaveShards", (options) => kavachSaveShards(cid, { ...options, ...quick, ...owner, keyShards })],
];

const truncateBody: Handler = (_, response) => {
  response.writeHead(200, { "Content-Length": "1000", "Content-Type": "application/json" });
  response.write('{"Name":');
  setImmediate(() => response.destroy());
};
const truncateChunked: Handler = (_, response) => {
  response.write("x".repeat(100));
  setImmediate(() => response.destroy());
};
const reset: Handler = (_, __, incoming) => incoming.socket.resetAndDestroy();
const silence: Handler = () => undefined;
const stall: Handler = (_, response) => void response.writeHead(200, { "Content-Length": "1000" }).write("x");

describe.each(oneRequest)("%s", (_, call) => {
  test.each<[string, Handler]>([
    ["a body shorter than its length", truncateBody],
    ["a truncated chunked body", truncateChunked],
    ["a connection that is reset", reset],
  ])("%s is a 'Network error'", async (__, handler) => {
    const expectNothingLeft = watchLeaks();
    const server = await createServer(handler);
    const error = await failure(call({ endpoints: endpointsAt(server.url) }));
    expect(error).toMatchObject({ code: "NETWORK", message: "Network error" });
    await server.close();
    await expectNothingLeft();
  });

  test("a refused connection is a 'Network error'", async () => {
    const error = await failure(call({ endpoints: endpointsAt(await findClosedUrl()) }));
    expect(error).toMatchObject({ code: "NETWORK", message: "Network error" });
  });

  test.each<[string, Handler]>([
    ["no response", silence],
    ["a response that stalls", stall],
  ])("%s is 'Request timed out', and the connection is closed", async (__, handler) => {
    const expectNothingLeft = watchLeaks();
    const server = await createServer(handler);
    const error = await failure(call({ endpoints: endpointsAt(server.url), timeoutMs: 60 }));
    expect(error).toMatchObject({ code: "TIMEOUT", message: "Request timed out" });
    const request = (error.cause as typeof error | undefined)?.details ?? error.details;
    expect(request["timeoutMs"]).toBe(60);
    await server.close();
    await expectNothingLeft();
  });
});

test("on a timeout the client closes the connection itself", async () => {
  const server = await createServer(silence);
  await failure(getAuthMessage(address, { endpoints: endpointsAt(server.url), timeoutMs: 50 }));
  await expect.poll(server.connections).toBe(0);
});

test.each([2 ** 31, Number.MAX_SAFE_INTEGER])(
  "a time limit of %d ms does not expire immediately",
  async (timeoutMs) => {
    const server = await createServer(
      (_, response) => void setTimeout(() => response.end(JSON.stringify(hostMessage)), 50),
    );
    const { message } = await getAuthMessage(address, { endpoints: endpointsAt(server.url), timeoutMs });
    expect(message).toBe(hostMessage);
  },
);

const MIB = "x".repeat(1024 * 1024);
const endless: Handler = (_, response) => {
  const more = () => {
    while (!response.destroyed && response.write(MIB));
    response.once("drain", more);
  };
  more();
};

test.each<[string, number, Call]>([
  ["getAuthMessage", 64 * 1024, (options) => getAuthMessage(address, options)],
  ["listFiles", 16 * 1024 * 1024, (options) => listFiles({ ...options, apiKey: "key" })],
  ["upload", 16 * 1024 * 1024 + 1024, (options) => upload(new Uint8Array(10), { ...options, apiKey: "key" })],
])("%s reads no more than %i bytes of an endless response", async (_, limitBytes, call) => {
  const expectNothingLeft = watchLeaks();
  const server = await createServer(endless);
  const error = await failure(call({ endpoints: endpointsAt(server.url) }));
  expect(error).toMatchObject({ code: "RESPONSE_TOO_LARGE", details: { limitBytes } });
  await expect.poll(server.connections).toBe(0);
  await server.close();
  await expectNothingLeft();
});

test("a refusal before the body is sent is reported, not the broken connection", async () => {
  const server = await createServer((_, response) => void response.writeHead(401).end('{"message":"Unauthorized"}'), {
    read: false,
  });
  const error = await failure(
    upload(new Uint8Array(8 * 1024 * 1024), { apiKey: "key", endpoints: endpointsAt(server.url) }),
  );
  expect(error).toMatchObject({ code: "HTTP_STATUS", details: { status: 401, serverMessage: "Unauthorized" } });
});

test("the low-level failure is kept as the cause, by its code and message only", async () => {
  const error = await failure(
    upload(new Uint8Array(10), { apiKey: "key", endpoints: endpointsAt(await findClosedUrl()) }),
  );
  expect(error.cause).toBeInstanceOf(Error);
  expect(Object.keys(error.cause as object)).toEqual(["code"]);
  expect(error.cause).toMatchObject({ code: "ECONNREFUSED" });
});
