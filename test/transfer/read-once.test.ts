import { join } from "node:path";
import { beforeEach, expect, test, vi } from "vitest";
import { upload, uploadEncrypted } from "../../src/index.ts";
import { scratch, writeTree } from "../support/files.ts";
import { owner } from "../support/fixtures.ts";
import { createServer, endpointsAt, type Handler, sendJson } from "../support/http-server.ts";
import { toStoredRows } from "../support/stored-rows.ts";

/** Counts operations on files. */
const counted = vi.hoisted(() => ({ opens: 0, open: 0, maxOpen: 0, bytes: 0 }));

vi.mock("node:fs/promises", async (original) => {
  const real = await original<typeof import("node:fs/promises")>();
  const open: typeof real.open = async (...parameters) => {
    const handle = await real.open(...parameters);
    counted.opens++;
    counted.maxOpen = Math.max(counted.maxOpen, ++counted.open);
    const read = handle.read.bind(handle) as (...rest: unknown[]) => Promise<{ bytesRead: number }>;
    const close = handle.close.bind(handle);
    return Object.assign(handle, {
      async read(...rest: unknown[]) {
        const result = await read(...rest);
        counted.bytes += result.bytesRead;
        return result;
      },
      async close() {
        counted.open--;
        return close();
      },
    });
  };
  return { ...real, open };
});

beforeEach(() => {
  Object.assign(counted, { opens: 0, open: 0, maxOpen: 0, bytes: 0 });
});

const names = Array.from({ length: 20 }, (_, at) => `${at}.bin`);
const SIZE = 300_000;
const handler: Handler = async (request, response) =>
  sendJson(response, request.path === "/api/v0/add" ? await toStoredRows(request) : { message: "success" });

test.each<[string, typeof upload]>([
  ["upload", upload],
  ["uploadEncrypted", (source, options) => uploadEncrypted(source, { ...owner, pauseMs: 0, ...options })],
])("%s opens each file once, one at a time, reads each byte once and closes all files", async (_, send) => {
  const folder = await scratch();
  await writeTree(folder, Object.fromEntries(names.map((name) => [`dir/${name}`, new Uint8Array(SIZE)])));
  const server = await createServer(handler);
  await send(join(folder, "dir"), { apiKey: "key", endpoints: endpointsAt(server.url) });
  expect(counted).toEqual({ opens: names.length, open: 0, maxOpen: 1, bytes: names.length * SIZE });
});
