import { expect, test } from "vitest";
import { decrypt, download, upload, uploadEncrypted } from "../../src/index.ts";
import { failure } from "../support/failure.ts";
import { opaqueCid as cid, owner } from "../support/fixtures.ts";
import { createServer, endpointsAt, type Handler, sendJson } from "../support/http-server.ts";
import { watchLeaks } from "../support/leaks.ts";

const key = "0b".repeat(32);
const idleTimeoutMs = 150;
/** For peers that are not silent, on a busy machine. */
const longerMs = 1_000;
const MIB = 1024 * 1024;

type Options = { endpoints: ReturnType<typeof endpointsAt>; idleTimeoutMs: number };

const downloads: [string, (options: Options) => Promise<unknown>][] = [
  ["download", (options) => download(cid, { ...options, verifyCid: false })],
  ["decrypt", (options) => decrypt(cid, { verifyCid: false, ...options, key })],
];
const silences: [string, Handler][] = [
  ["sends nothing at all", () => undefined],
  ["sends only the headers", (_, response) => response.writeHead(200, { "Content-Length": 9 }).flushHeaders()],
  ["stops in the middle", (_, response) => response.writeHead(200, { "Content-Length": MIB }).write("x".repeat(9999))],
];

test.each(downloads.flatMap(([name, call]) => silences.map(([how, handler]) => [name, how, call, handler] as const)))(
  "%s ends when a gateway %s, long before the time limit",
  async (_, __, call, handler) => {
    const expectNothingLeft = watchLeaks();
    const server = await createServer(handler);
    const error = await failure(call({ endpoints: endpointsAt(server.url), idleTimeoutMs }));
    expect(error).toMatchObject({ code: "TIMEOUT", details: { idleMs: idleTimeoutMs, method: "POST" } });
    await server.close();
    await expectNothingLeft();
  },
);

test.each<[string, (options: Options) => Promise<unknown>]>([
  ["upload", (options) => upload(new Uint8Array(32 * MIB), { ...options, apiKey: "key" })],
  ["uploadEncrypted", (options) => uploadEncrypted(new Uint8Array(32 * MIB), { ...options, ...owner, apiKey: "key" })],
])("%s ends when the upload node stops reading", async (_, call) => {
  const expectNothingLeft = watchLeaks();
  const server = await createServer(() => undefined, { read: false });
  const error = await failure(call({ endpoints: endpointsAt(server.url), idleTimeoutMs }));
  expect(error).toMatchObject({ code: "TIMEOUT", details: { idleMs: idleTimeoutMs } });
  await server.close();
  await expectNothingLeft();
});

test("an upload node may take longer to process a file that it has received", async () => {
  const server = await createServer((_, response) => {
    setTimeout(() => sendJson(response, { Name: "blob", Hash: cid, Size: "1" }), 1.5 * longerMs);
  });
  const stored = await upload(new Uint8Array(MIB), {
    endpoints: endpointsAt(server.url),
    apiKey: "key",
    idleTimeoutMs: longerMs,
  });
  expect(stored[0]?.Hash).toBe(cid);
});

test("a slow source does not count as a silent upload node", async () => {
  const server = await createServer((_, response) => sendJson(response, { Name: "blob", Hash: cid, Size: "1" }));
  const source = new ReadableStream<Uint8Array>({
    async start(controller) {
      controller.enqueue(new Uint8Array(1000));
      await new Promise((resolve) => setTimeout(resolve, 1.5 * longerMs));
      controller.enqueue(new Uint8Array(1000));
      controller.close();
    },
  });
  const stored = await upload(
    { name: "slow", stream: source },
    { endpoints: endpointsAt(server.url), apiKey: "key", idleTimeoutMs: longerMs },
  );
  expect(stored[0]?.Hash).toBe(cid);
});

test("a slow consumer does not count as a silent gateway", async () => {
  const server = await createServer((_, response) => response.end(Buffer.alloc(8 * MIB)));
  let isFirst = true;
  const onProgress = () => {
    if (!isFirst) return;
    isFirst = false;
    const until = performance.now() + 1.5 * longerMs;
    while (performance.now() < until);
  };
  const file = await download(cid, {
    verifyCid: false,
    endpoints: endpointsAt(server.url),
    idleTimeoutMs: longerMs,
    onProgress,
  });
  expect(file.length).toBe(8 * MIB);
});

test.each([0, 1.5, "1000"])("idleTimeoutMs %j is refused before anything is sent", async (value) => {
  const server = await createServer(() => undefined);
  const call = download(cid, { verifyCid: false, endpoints: endpointsAt(server.url), idleTimeoutMs: value as number });
  expect(await failure(call)).toMatchObject({ code: "INVALID_OPTION" });
  expect(server.requests).toEqual([]);
});
