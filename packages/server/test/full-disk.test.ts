import { randomBytes } from "node:crypto";
import type * as fs from "node:fs/promises";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { download, iterateFiles } from "../../../src/index.ts";
import { account, devnetForTests, getApiKey } from "../../../test/support/devnet-wire.ts";
import { eventually } from "../../../test/support/eventually.ts";
import { serveResumable } from "./endpoint.ts";
import { create, getResult, patch, readOffset, tus } from "./tus-client.ts";

const disk = vi.hoisted(() => ({ folder: "", room: Number.POSITIVE_INFINITY }));

// A disk that has room for so many bytes more in the folder of uploads, and for no new file once that is nothing.
vi.mock("node:fs/promises", async (importActual) => {
  const actual = await importActual<typeof fs>();
  const isFull = (path: unknown) => disk.room <= 0 && String(path).startsWith(disk.folder);
  const full = () => Object.assign(new Error("no space left on device"), { code: "ENOSPC", syscall: "write" });
  const open: typeof actual.open = async (path, flags, ...mode) => {
    if (isFull(path) && String(flags).startsWith("w")) throw full();
    const handle = await actual.open(path, flags, ...mode);
    if (!String(path).startsWith(disk.folder)) return handle;
    const write = handle.write.bind(handle) as (...parameters: unknown[]) => Promise<unknown>;
    return Object.assign(handle, {
      async write(bytes: Uint8Array, at: number, length: number, position: number) {
        if (disk.room <= 0) throw full();
        const taken = Math.min(length, disk.room);
        disk.room -= taken;
        return write(bytes, at, taken, position);
      },
    });
  };
  const mkdir = ((path, options) =>
    isFull(path) ? Promise.reject(full()) : actual.mkdir(path, options)) as typeof actual.mkdir;
  return { ...actual, open, mkdir };
});

const MIB = 1024 * 1024;
const devnet = devnetForTests();
const metadata = { filename: "film.bin" };
let apiKey = "";

beforeEach(async () => {
  apiKey = await getApiKey(devnet(), account(devnet(), 0));
  disk.folder = await mkdtemp(join(tmpdir(), "keeplight-test-"));
  onTestFinished(() => rm(disk.folder, { recursive: true, force: true, maxRetries: 30, retryDelay: 100 }));
});

afterEach(() => {
  disk.room = Number.POSITIVE_INFINITY;
});

const serve = () => serveResumable({ apiKey, endpoints: devnet().endpoints, folder: disk.folder });

async function expectNoRoom(response: Response): Promise<void> {
  expect(response.status).toBe(507);
  const text = await response.text();
  expect(JSON.parse(text)).toEqual({ error: { message: "The server has no room for the upload now" } });
}

test("a full disk is a 507 without a path, and the upload goes on once there is room", async () => {
  const { url, errors } = await serve();
  const bytes = randomBytes(20 * MIB);
  const { at } = await create(url, bytes.length, metadata);
  disk.room = 12 * MIB;
  await expectNoRoom(await patch(at, 0, bytes));
  await expectNoRoom((await create(url, 1, metadata)).response);
  expect(errors).toMatchObject([{ code: "CANNOT_WRITE", details: { code: "ENOSPC" } }, { code: "CANNOT_WRITE" }]);
  disk.room = Number.POSITIVE_INFINITY;
  const offset = await readOffset(at);
  expect(offset).toBeGreaterThanOrEqual(8 * MIB);
  expect((await patch(at, offset, bytes.subarray(offset))).status).toBe(204);
  const { body } = await getResult(at);
  expect(Buffer.compare(await download(body.Hash, { endpoints: devnet().endpoints }), bytes)).toBe(0);
});

test("a client does not give up an upload that cannot be continued for lack of room", async () => {
  const { url } = await serve();
  const { at } = await create(url, 10, metadata);
  disk.room = 0;
  expect((await tus("HEAD", at)).status).toBe(423);
  await expectNoRoom(await patch(at, 0, randomBytes(10)));
  disk.room = Number.POSITIVE_INFINITY;
  expect(await readOffset(at)).toBe(0);
});

test("what is complete waits while there is no room for its record, and is stored once", async () => {
  const { url, errors } = await serve();
  const { at } = await create(url, 10, metadata);
  const readRecord = async () =>
    JSON.parse(await readFile(join(disk.folder, at.split("/").at(-1) ?? "", "record.json"), "utf8"));
  devnet().faults.add({ service: "upload", action: { kind: "delay", ms: 2_000 }, times: 1 });
  expect((await patch(at, 0, randomBytes(10))).status).toBe(204);
  await eventually(async () => expect(await readRecord()).toHaveProperty("sentAt"));
  disk.room = 0;
  await eventually(() => expect(errors).toMatchObject([{ code: "CANNOT_WRITE", details: { code: "ENOSPC" } }]));
  expect((await fetch(at)).status).toBe(202);
  disk.room = Number.POSITIVE_INFINITY;
  const { status, body } = await getResult(at);
  expect(status).toBe(200);
  expect(await readRecord()).toMatchObject({ stored: { Hash: body.Hash } });
  const own = { apiKey, endpoints: devnet().endpoints };
  const stored: string[] = [];
  for await (const { cid } of iterateFiles(own)) if (cid === body.Hash) stored.push(cid);
  expect(stored).toHaveLength(1);
});
