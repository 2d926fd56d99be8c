import { once } from "node:events";
import { rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { Wallet } from "ethers";
import { expect, onTestFinished, test, vi } from "vitest";
import { type EndpointOptions, iterateFiles, KeeplightError, listFiles, openFile, upload } from "../../../src/index.ts";
import { resolveOptions } from "../../../src/parts/index.ts";
import { devnetForTests } from "../../../test/support/devnet-wire.ts";
import { failure } from "../../../test/support/failure.ts";
import {
  backupFolder,
  checkBackups,
  forgetSnapshot,
  forgetSnapshots,
  listSnapshots,
  previewForget,
  pruneBackups,
  restoreBackup,
} from "../src/index.ts";
import { readSchema, writeSchema } from "../src/options.ts";
import { toStoredName } from "../src/remote.ts";
import { openSnapshot, storeSnapshot } from "../src/snapshot.ts";
import { deleteListed, prepareBackup, readTree } from "./rig.ts";

// What other machines do meanwhile, and what calls leave that were interrupted.

const devnet = devnetForTests();

test("a snapshot with several rows or files is kept and forgotten as one, and has a whole file as long as it is kept", async () => {
  const { folder, options, reader } = await prepareBackup(devnet(), { a: "one" });
  const { state: _, ...account } = options;
  const first = await backupFolder(folder, options);
  await writeFile(join(folder, "a"), "two");
  const second = await backupFolder(folder, options);
  const listed = async () => (await listSnapshots(account)).snapshots.map(({ cid }) => cid);
  expect((await failure(forgetSnapshots({ ...account, keep: { tags: ["misspelt"] } }))).code).toBe("INVALID_OPTION");
  // A response was lost, and the snapshot was sent again.
  const { apiKey, endpoints } = options;
  const file = await openFile(second.cid, { endpoints });
  const { content, repository } = (await openSnapshot(second.cid, resolveOptions(readSchema, reader))) ?? expect.fail();
  const name = toStoredName(repository.id, "snapshot");
  await upload(await file.read(0, file.size), { apiKey, endpoints, name });
  await forgetSnapshots({ ...account, keep: { last: 2 } });
  expect(await listed()).toEqual([second.cid, first.cid]);
  // Its chunks were moved into a pack that another machine has deleted meanwhile.
  const moved = { ...content, packs: [repository.cid, first.cid, "bafkqaaa"], moves: 1 };
  await storeSnapshot(moved, repository, resolveOptions(writeSchema, options));
  await forgetSnapshots({ ...account, keep: { last: 2 } });
  expect(await listed()).toHaveLength(2);
  await pruneBackups({ ...options, graceMs: 0, unusedPercent: 100 });
  const files: string[] = [];
  for await (const { cid } of iterateFiles({ apiKey, endpoints })) files.push(cid);
  expect(files).toEqual(expect.arrayContaining([first.cid, second.cid]));
  await forgetSnapshots({ ...account, keep: { last: 1 } });
  await deleteListed(options, ({ cid }) => cid === first.cid);
  expect((await previewForget({ ...account, keep: { last: 1 } })).forgotten).toEqual([]);
});

test("only what was confirmed is forgotten, and nothing if that fails", async () => {
  const { folder, options } = await prepareBackup(devnet(), { a: "one" });
  const { state: _, ...account } = options;
  const backups: string[] = [];
  const add = async (text: string) => {
    await writeFile(join(folder, "a"), text);
    backups.push((await backupFolder(folder, options)).cid);
  };
  await add("one");
  await add("two");
  const declined = new Error("declined");
  const cids = (list: readonly { cid: string }[]) => list.map(({ cid }) => cid);
  // Other tests have snapshots of their own.
  const list = async () =>
    (await listSnapshots(account)).snapshots.filter(({ cid }) => backups.includes(cid)).reverse();
  const listed = async () => cids(await list());
  const rules = { ...account, keep: { last: 1 }, root: (await list())[0]?.root };
  const refuse = () => Promise.reject(declined);
  await expect(forgetSnapshots({ ...rules, confirm: refuse })).rejects.toBe(declined);
  expect(await listed()).toEqual(backups);
  const { kept, forgotten } = await forgetSnapshots({
    ...rules,
    async confirm(decided) {
      expect([cids(decided.forgotten), cids(decided.kept)]).toEqual([backups.slice(0, 1), backups.slice(1, 2)]);
      // By the rules, the second one would be forgotten now.
      await add("three");
      decided.forgotten.push(...decided.kept);
    },
  });
  expect([cids(forgotten), cids(kept)]).toEqual([[backups[0]], [backups[2], backups[1]]]);
  expect(await listed()).toEqual(backups.slice(1));
});

test("a backup that takes longer than packs are kept for it sends again what was deleted", async () => {
  const { place, folder, options, reader } = await prepareBackup(devnet(), { a: "one" }, { accountNumber: 1 });
  const prunes = await interpose(devnet().endpoints.upload, /\.snapshot/, async (count) => {
    if (count > 1) return;
    for (const _ of [1, 2]) await pruneBackups({ ...options, graceMs: 0 });
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 7_200_000 });
  });
  onTestFinished(() => void vi.useRealTimers());
  const { cid } = await backupFolder(folder, { ...options, endpoints: { ...devnet().endpoints, upload: prunes } });
  vi.useRealTimers();
  const { state: _, ...account } = options;
  expect(await checkBackups(account)).toMatchObject({ snapshots: 1, problems: [] });
  await restoreBackup(cid, join(place, "to"), reader);
  expect(await readTree(join(place, "to"))).toEqual(await readTree(folder));
});

test.each([
  ["is interrupted as it sends that again", true],
  ["cannot delete its snapshot", false],
])(
  "a backup that relied on what was deleted, and %s, leaves no snapshot that stops prunes",
  async (_how, isInterrupted) => {
    const { folder, options } = await prepareBackup(devnet(), { a: "one" }, { owner: Wallet.createRandom() });
    const end = new AbortController();
    const upload = await interpose(devnet().endpoints.upload, /\.(pack|snapshot)"/, async (count) => {
      if (count === 2) {
        for (const _ of [1, 2]) await pruneBackups({ ...options, graceMs: 0 });
        vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 7_200_000 });
        const action = { kind: "respond", status: 500 } as const;
        if (!isInterrupted) onTestFinished(devnet().faults.add({ service: "api", method: "DELETE", times: 1, action }));
      }
      if (count === 3 && isInterrupted) end.abort();
    });
    onTestFinished(() => void vi.useRealTimers());
    const endpoints = { ...devnet().endpoints, upload };
    await failure(backupFolder(folder, { ...options, endpoints, signal: end.signal }));
    vi.useRealTimers();
    const { cid } = await backupFolder(folder, options);
    const { state: _, ...account } = options;
    expect((await listSnapshots(account)).snapshots.map((each) => each.cid)).toEqual([cid]);
    await pruneBackups({ ...options, graceMs: 0 });
    expect(await checkBackups(account)).toMatchObject({ snapshots: 1, problems: [] });
    expect(await backupFolder(folder, options)).toMatchObject({ cid, isUnchanged: true });
  },
);

test("a snapshot of a call that ended before it looked for packs is kept, unless something has changed", async () => {
  const { folder, options } = await prepareBackup(devnet(), { a: "one" }, { owner: Wallet.createRandom() });
  const { state: _, ...account } = options;
  const listed = async () => (await listSnapshots(account)).snapshots.map(({ cid }) => cid);
  const backUpInterrupted = async (page: number) => {
    const end = new AbortController();
    const api = await interpose(devnet().endpoints.api, /files_uploaded/, async (count) => {
      if (count === page) end.abort();
    });
    await failure(backupFolder(folder, { ...options, endpoints: { ...devnet().endpoints, api }, signal: end.signal }));
  };
  // The first page that a call lists after its snapshot was stored: the first call has listed one more, for its repository.
  await backUpInterrupted(4);
  const [first = ""] = await listed();
  expect(await backupFolder(folder, options)).toMatchObject({ cid: first, isUnchanged: true });
  await writeFile(join(folder, "a"), "two");
  await backUpInterrupted(3);
  expect(await listed()).toHaveLength(2);
  await writeFile(join(folder, "a"), "three");
  const { cid } = await backupFolder(folder, options);
  expect(await listed()).toEqual([cid, first]);
});

test("a snapshot that is forgotten while a backup finds nothing new is stored again", async () => {
  const { folder, options } = await prepareBackup(devnet(), { a: "one" }, { accountNumber: 2 });
  const first = await backupFolder(folder, options);
  const api = await interpose(devnet().endpoints.api, /files_uploaded/, async (count) => {
    if (count === 3) await deleteListed(options, ({ cid }) => cid === first.cid);
  });
  const { cid } = await backupFolder(folder, { ...options, endpoints: { ...devnet().endpoints, api } });
  const { state: _, ...account } = options;
  expect((await listSnapshots(account)).snapshots.map((each) => each.cid)).toEqual([cid]);
});

test("a repository whose file the account has lost takes no more backups, and its snapshots are reported", async () => {
  const { folder, options } = await prepareBackup(devnet(), { a: "one" }, { accountNumber: 3 });
  const { state: _, ...account } = options;
  const { cid } = await backupFolder(folder, options);
  await deleteListed(options, ({ fileName }) => fileName?.endsWith(".repository") === true);
  expect(await listSnapshots(account)).toEqual({ snapshots: [], unread: [{ cid, code: "INVALID_SNAPSHOT" }] });
  expect((await checkBackups(account)).problems).toMatchObject([{ cid, kind: "snapshot" }]);
  const later = Date.now() + 7_200_000;
  vi.useFakeTimers({ toFake: ["Date"], now: later });
  const error = await failure(backupFolder(folder, options)).finally(() => vi.useRealTimers());
  expect(error).toMatchObject({ code: "INVALID_OPTION", details: { option: "state" } });
});

test("a new machine makes no second repository while key nodes say that the account's own is another's", async () => {
  const { place, folder, options } = await prepareBackup(devnet(), { a: "one" }, { owner: Wallet.createRandom() });
  const { cid } = await backupFolder(folder, options);
  const [repository = ""] = await listEnding(".repository", options);
  const { address } = Wallet.createRandom();
  onTestFinished(devnet().attacks.add({ kind: "misreport-access", cid: repository, owner: address }));
  const before = await listEnding("", options);
  const error = await failure(backupFolder(folder, { ...options, state: join(place, "new") }));
  expect(error).toMatchObject({ code: "INVALID_SNAPSHOT", details: { cid } });
  expect(await listEnding("", options)).toEqual(before);
  devnet().attacks.clear();
  const again = await backupFolder(folder, { ...options, state: join(place, "new") });
  expect(again.sentBytes).toBe(0);
});

test("a kit that lacks the key of the backups opens none of them, and says so", async () => {
  const { folder, options } = await prepareBackup(devnet(), { a: "one" }, { accountNumber: 4 });
  const { cid } = await backupFolder(folder, options);
  const { apiKey, endpoints } = options;
  const key = () => {
    throw new KeeplightError("NOT_IN_KIT", "The kit does not hold the key", { details: { cid } });
  };
  const unread = [{ cid, code: "NOT_IN_KIT" }];
  expect(await listSnapshots({ apiKey, endpoints, key })).toEqual({ snapshots: [], unread });
  expect((await failure(restoreBackup(cid, folder, { endpoints, key }))).code).toBe("NOT_IN_KIT");
});

/** Passes requests on to a service on loopback; first runs work for each whose path or body matches, with its number from 1. */
async function interpose(service: string, what: RegExp, work: (count: number) => Promise<void>): Promise<string> {
  let count = 0;
  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    if (what.test(`${request.url} ${body.toString("latin1")}`)) await work(++count);
    const { host: _, connection: __, "transfer-encoding": ___, ...headers } = request.headers;
    const init = { method: request.method ?? "GET", headers: headers as Record<string, string> };
    const reply = await fetch(service + request.url, body.length > 0 ? { ...init, body } : init);
    response.writeHead(reply.status, { "content-type": reply.headers.get("content-type") ?? "application/json" });
    response.end(Buffer.from(await reply.arrayBuffer()));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Returns the content ids of an account's files whose names end so. */
async function listEnding(ending: string, { apiKey, endpoints }: { apiKey: string; endpoints: EndpointOptions }) {
  const { fileList } = await listFiles({ apiKey, endpoints });
  return fileList.flatMap(({ fileName, cid }) => (fileName?.endsWith(ending) ? [cid] : []));
}

const lose = (cid: string) =>
  devnet().faults.add({ service: "gateway", path: new RegExp(cid), action: { kind: "respond", status: 404 } });

test("a mark of another machine that the network does not have yet is waited for", async () => {
  const { folder, options } = await prepareBackup(devnet(), { a: "one" }, { owner: Wallet.createRandom() });
  const { state: _, ...account } = options;
  const first = await backupFolder(folder, options);
  await writeFile(join(folder, "a"), "two");
  await backupFolder(folder, options);
  await forgetSnapshot(first.cid, account);
  await pruneBackups({ ...options, graceMs: 0 });
  const [mark = ""] = await listEnding(".mark", options);
  const find = lose(mark);
  const errors: unknown[] = [];
  function onError(error: unknown): void {
    errors.push(error);
    find();
  }
  await writeFile(join(folder, "a"), "three");
  expect((await backupFolder(folder, { ...options, onError })).sentBytes).toBeGreaterThan(0);
  expect(errors).toMatchObject([{ code: "HTTP_STATUS", details: { status: 404 } }]);
});

test("a mark that the network has lost stops backups until a prune has removed it, unless it may still be there soon", async () => {
  const { place, folder, options, reader } = await prepareBackup(
    devnet(),
    { a: "one" },
    { owner: Wallet.createRandom() },
  );
  const { state: _, ...account } = options;
  const first = await backupFolder(folder, options);
  await writeFile(join(folder, "a"), "two");
  await backupFolder(folder, options);
  await forgetSnapshot(first.cid, account);
  expect(await pruneBackups({ ...options, graceMs: 0 })).toMatchObject({ marked: 1, deleted: 0 });
  const [mark = ""] = await listEnding(".mark", options);
  onTestFinished(lose(mark));
  await expect(pruneBackups({ ...options, graceMs: 0 })).rejects.toMatchObject({ code: "HTTP_STATUS" });
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 7_200_000 });
  onTestFinished(() => void vi.useRealTimers());
  expect(await failure(backupFolder(folder, options))).toMatchObject({
    code: "INVALID_SNAPSHOT",
    details: { cid: mark },
  });
  expect(await listEnding(".mark", options)).toEqual([mark]);
  expect(await pruneBackups({ ...options, graceMs: 0 })).toMatchObject({ marked: 1, deleted: 0 });
  expect(await listEnding(".mark", options)).not.toContain(mark);
  await writeFile(join(folder, "b"), "three");
  const { cid } = await backupFolder(folder, options);
  expect(await pruneBackups({ ...options, graceMs: 0 })).toMatchObject({ deleted: 1 });
  await restoreBackup(cid, join(place, "to"), reader);
  expect(await readTree(join(place, "to"))).toEqual(await readTree(folder));
});

test("a pack that the network has lost, and no snapshot needs, stops no prune", async () => {
  const { folder, options } = await prepareBackup(devnet(), { a: "one" }, { owner: Wallet.createRandom() });
  const { state: _, ...account } = options;
  await backupFolder(folder, options);
  const before = await listEnding(".pack", options);
  await writeFile(join(folder, "b"), "two");
  const { cid } = await backupFolder(folder, options);
  const lost = (await listEnding(".pack", options)).find((pack) => !before.includes(pack)) ?? "";
  onTestFinished(lose(lost));
  await rm(options.state, { recursive: true });
  expect(await failure(pruneBackups({ ...options, graceMs: 0 }))).toMatchObject({ code: "INVALID_SNAPSHOT" });
  await forgetSnapshot(cid, account);
  expect(await pruneBackups({ ...options, graceMs: 0 })).toMatchObject({ kept: 2, deleted: 0 });
  expect((await checkBackups(account)).snapshots).toBe(1);
});
