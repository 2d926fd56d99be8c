import { createHash } from "node:crypto";
import { readdir, readFile, stat, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, describe, expect, test } from "vitest";
import {
  decrypt,
  download,
  encryptBytes,
  type Journal,
  openJournal,
  type Progress,
  type SavedFile,
} from "../../src/index.ts";
import { startGateway } from "../blocks/stand-in.ts";
import { makeBytes, storeFile, type Tree } from "../blocks/trees.ts";
import { failure } from "../support/failure.ts";
import { scratch } from "../support/files.ts";
import type { TestServer } from "../support/http-server.ts";
import { bundleDownload, forkDownload, runDownload, spawnOnFullDisk } from "./kill-downloads.ts";

const key = "5f".repeat(32);
const content = makeBytes(6_000_007);
const encrypted = await encryptBytes(content, key);
const trees: Partial<Record<"download" | "decrypt", Tree>> = {};

beforeAll(async () => {
  trees.download = await storeFile(content);
  trees.decrypt = await storeFile(encrypted);
});

/** One of the calls with a journal, against a gateway of its own. */
interface Rig {
  cid: string;
  folder: string;
  to: string;
  journal: Journal;
  gateway: TestServer;
  save(options?: object): Promise<SavedFile>;
  /** Bytes of the file that the gateway was requested to send. */
  sentBytes(): number;
}

const kinds = ["download", "decrypt"] as const;

async function createRig(kind: (typeof kinds)[number], options: { cutAt?: number } = {}): Promise<Rig> {
  const { cid = "", blocks } = trees[kind] ?? {};
  if (!blocks) throw new Error("the files are stored before the tests");
  let sent = 0;
  const gateway = await startGateway(blocks, {
    ways: ["raw", "range", "whole"],
    change(bytes, { query }) {
      if (!query["format"]) sent += bytes.length;
      return bytes;
    },
    intercept({ method }, response) {
      if (method !== "POST" || options.cutAt === undefined) return false;
      const stored = kind === "download" ? content : encrypted;
      response.writeHead(200, { "Content-Length": stored.length });
      const { cutAt } = options;
      delete options.cutAt;
      response.write(stored.subarray(0, cutAt));
      return true;
    },
  });
  const folder = await scratch();
  const to = join(folder, "saved");
  const journal = await openJournal({ folder: await scratch() });
  const call = { endpoints: { gateway: gateway.url }, to, journal, idleTimeoutMs: 60_000 };
  return {
    cid,
    folder,
    to,
    journal,
    gateway,
    save: (more = {}) =>
      kind === "download" ? download(cid, { ...call, ...more }) : decrypt(cid, { ...call, key, ...more }),
    sentBytes: () => sent,
  };
}

/** Starts a call and aborts it once so many bytes have arrived. */
async function interrupt(rig: Rig, afterBytes: number): Promise<void> {
  const controller = new AbortController();
  const onProgress = ({ loaded }: Progress) => {
    if (loaded >= afterBytes) controller.abort();
  };
  const error = await failure(rig.save({ signal: controller.signal, onProgress }));
  expect(error).toMatchObject({ code: "ABORTED" });
}

const findPartial = async ({ folder }: Rig) => (await readdir(folder)).filter((name) => name.endsWith(".partial"));

async function expectSaved({ to, folder, journal }: Rig): Promise<void> {
  expect(
    createHash("sha256")
      .update(await readFile(to))
      .digest("hex"),
  ).toBe(createHash("sha256").update(content).digest("hex"));
  expect(await readdir(folder)).toEqual(["saved"]);
  expect(await journal.list()).toEqual([]);
}

describe.each(kinds)("%s with a journal", (kind) => {
  test("saves a file, and leaves nothing else", async () => {
    const rig = await createRig(kind);
    expect(await rig.save()).toEqual({ path: rig.to, size: content.length });
    await expectSaved(rig);
  });

  test("that is interrupted keeps what has arrived, and the same call fetches the rest", async () => {
    const rig = await createRig(kind, { cutAt: 4_500_000 });
    await interrupt(rig, 4_400_000);
    const [open] = await rig.journal.list();
    expect(open).toMatchObject({ kind, names: [rig.to], cids: [rig.cid] });
    expect(open?.bytesDone).toBeGreaterThan(4_000_000);
    expect(open?.sizes[0]).toBeGreaterThanOrEqual(content.length);
    const [partial = ""] = await findPartial(rig);
    const { mode, size } = await stat(join(rig.folder, partial));
    expect(mode & 0o777).toBe(0o600);
    expect(size).toBe(open?.bytesDone);
    expect(await readdir(rig.folder)).toEqual([partial]);

    expect(await rig.save()).toEqual({ path: rig.to, size: content.length });
    await expectSaved(rig);
    expect(rig.sentBytes()).toBeLessThan(2_500_000);
  });

  test("is continued by the journal as another process opens it", async () => {
    const rig = await createRig(kind, { cutAt: 4_500_000 });
    await interrupt(rig, 4_400_000);
    const journal = await openJournal({ folder: rig.journal.place });
    const [open] = await journal.list();
    const result = { path: rig.to, size: content.length };
    expect(await journal.resume(open?.id ?? "")).toEqual({ id: open?.id, kind, result });
    await expectSaved(rig);
    expect(rig.sentBytes()).toBeLessThan(2_500_000);
  });

  test.each([0, 1, 300_000, 4_000_000])("fetches again what was changed at byte %d meanwhile", async (at) => {
    const rig = await createRig(kind, { cutAt: 4_500_000 });
    await interrupt(rig, 4_400_000);
    const partial = join(rig.folder, (await findPartial(rig))[0] ?? "");
    const bytes = await readFile(partial);
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    await writeFile(partial, bytes);
    await rig.save();
    await expectSaved(rig);
    if (at === 4_000_000) expect(rig.sentBytes()).toBeLessThan(3_000_000);
  });

  test.each([0, 1, 262_144, 1_000_000])("continues what was truncated to %d bytes meanwhile", async (size) => {
    const rig = await createRig(kind, { cutAt: 4_500_000 });
    await interrupt(rig, 4_400_000);
    await truncate(join(rig.folder, (await findPartial(rig))[0] ?? ""), size);
    await rig.save();
    await expectSaved(rig);
  });

  test("fetches again what was removed, or has bytes too many", async () => {
    for (const bytes of [undefined, Buffer.concat([kind === "download" ? content : encrypted, Buffer.alloc(99)])]) {
      const rig = await createRig(kind, { cutAt: 4_500_000 });
      await interrupt(rig, 4_400_000);
      const partial = join(rig.folder, (await findPartial(rig))[0] ?? "");
      await (bytes ? writeFile(partial, bytes) : truncate(partial, 0));
      await rig.save();
      await expectSaved(rig);
    }
  });

  test("keeps what has arrived if the gateway breaks, and is down for a while", async () => {
    const rig = await createRig(kind, { cutAt: 4_500_000 });
    await interrupt(rig, 4_400_000);
    const before = (await rig.journal.list())[0]?.bytesDone;
    await rig.gateway.close();
    expect(await failure(rig.save())).toMatchObject({ code: "NETWORK" });
    expect((await rig.journal.list())[0]?.bytesDone).toBe(before);
    const [open] = await rig.journal.list();
    const again = await createRig(kind);
    await rig.journal.resume(open?.id ?? "", { endpoints: { gateway: again.gateway.url } });
    await expectSaved(rig);
    expect(again.sentBytes()).toBeLessThan(2_500_000);
  });

  test("is refused while another call saves the same file to the same path, which is unharmed", async () => {
    const rig = await createRig(kind);
    const outcomes = await Promise.allSettled([rig.save(), rig.save()]);
    const failed = outcomes.filter(({ status }) => status === "rejected");
    expect(failed).toHaveLength(1);
    expect(failed[0]).toMatchObject({ reason: { code: "JOURNAL_ENTRY_BUSY" } });
    await expectSaved(rig);
  });

  test("is refused while another process runs it, which is unharmed; killed, it is continued", async () => {
    const rig = await createRig(kind, { cutAt: 4_500_000 });
    const script = await bundleDownload(await scratch());
    const { cid, to } = rig;
    const job = { kind, cid, key, journal: rig.journal.place, to, endpoints: { gateway: rig.gateway.url } };
    const isRunning = async () => ((await rig.journal.list())[0]?.bytesDone ?? 0) > 4_000_000;
    const moment = async () => {
      while (!(await isRunning())) await sleep(20);
      expect(await failure(rig.save())).toMatchObject({ code: "JOURNAL_ENTRY_BUSY" });
      const [open] = await rig.journal.list();
      expect(await failure(rig.journal.resume(open?.id ?? ""))).toMatchObject({ code: "JOURNAL_ENTRY_BUSY" });
    };
    expect(await runDownload(forkDownload(script), job, moment)).toBeUndefined();
    expect((await rig.journal.list())[0]?.bytesDone).toBeGreaterThan(4_000_000);
    await rig.save();
    await expectSaved(rig);
    expect(rig.sentBytes()).toBeLessThan(2_500_000);
  });

  test("keeps what has arrived when the disk is full, and fetches the rest once there is room", async () => {
    const rig = await createRig(kind);
    const script = await bundleDownload(await scratch());
    const endpoints = { gateway: rig.gateway.url };
    const job = { kind, cid: rig.cid, key, journal: rig.journal.place, to: rig.to, endpoints };
    expect(await runDownload(spawnOnFullDisk(script), job)).toEqual({ code: "CANNOT_WRITE" });
    const [open] = await rig.journal.list();
    expect(open?.bytesDone).toBeGreaterThan(1_500_000);
    expect(await readdir(rig.folder)).toEqual(await findPartial(rig));
    const before = rig.sentBytes();
    await rig.save();
    await expectSaved(rig);
    expect(rig.sentBytes() - before).toBeLessThan(content.length - 1_500_000);
  });

  test("that is discarded leaves nothing", async () => {
    const rig = await createRig(kind, { cutAt: 4_500_000 });
    await interrupt(rig, 4_400_000);
    await rig.journal.discard((await rig.journal.list())[0]?.id ?? "");
    expect(await rig.journal.list()).toEqual([]);
    expect(await readdir(rig.folder)).toEqual([]);
  });

  test("leaves nothing if it fails before anything has arrived", async () => {
    const rig = await createRig(kind);
    await rig.gateway.close();
    expect(await failure(rig.save())).toMatchObject({ code: "NETWORK" });
    expect(await rig.journal.list()).toEqual([]);
    expect(await readdir(rig.folder)).toEqual([]);
  });

  test("has no plaintext key in its files", async () => {
    const rig = await createRig(kind, { cutAt: 4_500_000 });
    await interrupt(rig, 4_400_000);
    for (const name of await readdir(rig.journal.place)) {
      const bytes = await readFile(join(rig.journal.place, name));
      expect([key, rig.cid, rig.to].filter((text) => bytes.includes(text))).toEqual([]);
      expect(bytes.includes(Buffer.from(key, "hex"))).toBe(false);
    }
    expect((await journalText(rig)).includes(key)).toBe(false);
  });
});

const journalText = async ({ journal }: Rig) => JSON.stringify(await journal.list());

test("a journal without a path to save to has no effect", async () => {
  const rig = await createRig("download");
  const { endpoints, journal } = { endpoints: { gateway: rig.gateway.url }, journal: rig.journal };
  expect(Buffer.compare(await download(rig.cid, { endpoints, journal }), content)).toBe(0);
  expect(await journal.list()).toEqual([]);
});

test("a file whose key is wrong is not saved, and stays to be decrypted by another one", async () => {
  const rig = await createRig("decrypt");
  expect(await failure(rig.save({ key: "00".repeat(32) }))).toMatchObject({ code: "CANNOT_DECRYPT" });
  const [partial = ""] = await findPartial(rig);
  expect(await readdir(rig.folder)).toEqual([partial]);
  await rig.save();
  await expectSaved(rig);
  expect(rig.sentBytes()).toBeLessThan(encrypted.length + 1);
});
