import { once } from "node:events";
import { readFile, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, connect, createServer } from "node:net";
import { join } from "node:path";
import type { Wallet } from "ethers";
import { afterEach, expect, onTestFinished, test } from "vitest";
import { type EndpointOptions, kavachRecoverKey, kavachRecoverShards, listFiles } from "../../../src/index.ts";
import { resolveOptions } from "../../../src/parts/index.ts";
import { devnetForTests } from "../../../test/support/devnet-wire.ts";
import { failure } from "../../../test/support/failure.ts";
import { createGate } from "../../../test/support/gate.ts";
import {
  backupFolder,
  checkBackups,
  diffSnapshots,
  forgetSnapshots,
  listEntries,
  listSnapshots,
  previewForget,
  pruneBackups,
  restoreBackup,
} from "../src/index.ts";
import { readSchema } from "../src/options.ts";
import { openSnapshot } from "../src/snapshot.ts";
import { deleteListed, prepareBackup, readTree } from "./rig.ts";

const devnet = devnetForTests();

afterEach(() => devnet().faults.clear());

const noise = (size: number, seed: number) => {
  const bytes = Buffer.alloc(size);
  for (let at = 0, word = seed; at < size - 4; at += 4) {
    word = (Math.imul(word ^ (word >>> 15), 0x2c1b3c6d) + at) | 0;
    bytes.writeInt32LE(word, at);
  }
  return bytes;
};

async function countPacks({ apiKey, endpoints }: { apiKey: string; endpoints: object }) {
  const { fileList } = await listFiles({ apiKey, endpoints });
  return fileList.filter(({ fileName }) => fileName?.endsWith(".pack")).length;
}

test("snapshots are listed, compared, checked and forgotten; what no snapshot needs is deleted, by the wallet alone", async () => {
  const { place, folder, options, reader } = await prepareBackup(devnet(), { a: noise(50_000, 1), b: noise(9_000, 2) });
  const { state: _, ...account } = options;
  const first = await backupFolder(folder, { ...options, tags: ["first"] });
  await writeFile(join(folder, "a"), noise(60_000, 3));
  await writeFile(join(folder, "c"), "new");
  const second = await backupFolder(folder, options);
  const { snapshots, unread } = await listSnapshots(account);
  expect({ cids: snapshots.map(({ cid }) => cid), unread }).toEqual({ cids: [second.cid, first.cid], unread: [] });
  expect((await listSnapshots({ ...account, tags: ["first"] })).snapshots).toHaveLength(1);
  const differences = [];
  for await (const each of diffSnapshots(first.cid, second.cid, reader)) differences.push(each);
  expect(differences).toEqual([
    { path: "a", change: "content" },
    { path: "c", change: "added" },
  ]);
  const paths = [];
  for await (const { path } of listEntries(second.cid, reader)) paths.push(path);
  expect(paths).toEqual(["a", "b", "c"]);
  expect(await checkBackups(account)).toMatchObject({ snapshots: 2, packs: 2, problems: [] });

  // All else is done by a machine that knows the wallet alone.
  await rm(options.state, { recursive: true });
  expect((await failure(forgetSnapshots({ ...account, keep: {} }))).code).toBe("INVALID_OPTION");
  expect(await previewForget({ ...account, keep: { last: 1 } })).toMatchObject({ forgotten: [{ cid: first.cid }] });
  await forgetSnapshots({ ...account, keep: { last: 1 } });
  const prune = () => pruneBackups({ ...options, graceMs: 0 });
  // Of the first pack little is needed: it is repacked, and marked. What is marked is deleted by the next call.
  expect(await prune()).toEqual({ kept: 3, marked: 1, deleted: 0, repacked: 1 });
  expect(await prune()).toEqual({ kept: 2, marked: 0, deleted: 1, repacked: 0 });
  expect(await countPacks(options)).toBe(2);
  const [left] = (await listSnapshots(account)).snapshots;
  expect(left).toMatchObject({ id: second.id });
  await restoreBackup(left?.cid ?? "", join(place, "to"), reader);
  expect(await readTree(join(place, "to"))).toEqual(await readTree(folder));
  expect(await checkBackups({ ...account, bytes: 1 })).toMatchObject({ snapshots: 1, packs: 1, problems: [] });
});

test("a backup that relies on what another machine prunes meanwhile sends it again", async () => {
  const { place, folder, options, reader } = await prepareBackup(
    devnet(),
    { a: noise(50_000, 4) },
    { accountNumber: 1 },
  );
  const { state: _, ...account } = options;
  await backupFolder(folder, options);
  for (const prunes of [1, 2]) {
    const packs = await countPacks(options);
    const held = await holdConnections(devnet().endpoints.upload);
    // All chunks are known: only a snapshot is sent, and the others are forgotten before it arrives.
    const late = backupFolder(folder, {
      ...options,
      state: join(place, "other"),
      tags: [String(prunes)],
      endpoints: { ...devnet().endpoints, upload: held.url },
    });
    await held.reached;
    const cids = new Set((await listSnapshots(account)).snapshots.map(({ cid }) => cid));
    await deleteListed(options, ({ cid }) => cids.has(cid));
    let deleted = 0;
    for (let at = 0; at < prunes; at++) deleted += (await pruneBackups({ ...options, graceMs: 0 })).deleted;
    expect(deleted > 0).toBe(prunes === 2);
    await held.release();
    const { cid, sentBytes } = await late;
    expect(sentBytes).toBeGreaterThan(50_000);
    const { snapshots } = await listSnapshots(account);
    expect(snapshots.map((each) => each.cid)).toEqual([cid]);
    expect(await checkBackups(account)).toMatchObject({ snapshots: 1, problems: [] });
    await pruneBackups({ ...options, graceMs: 0 });
    await pruneBackups({ ...options, graceMs: 0 });
    expect(await countPacks(options)).toBeLessThanOrEqual(packs);
    await restoreBackup(cid, join(place, `to-${prunes}`), reader);
    expect(await readTree(join(place, `to-${prunes}`))).toEqual(await readTree(folder));
  }
});

test("a damaged pack is found, and neither it nor a snapshot that cannot be read lets anything be deleted", async () => {
  const { place, folder, options, reader } = await prepareBackup(
    devnet(),
    { a: noise(50_000, 5) },
    { accountNumber: 2 },
  );
  const { state: _, ...account } = options;
  const { cid } = await backupFolder(folder, options);
  const remove = devnet().faults.add({
    service: "gateway",
    path: new RegExp(cid),
    action: { kind: "respond", status: 404 },
  } as never);
  await expect(pruneBackups({ ...options, graceMs: 0 })).rejects.toThrow();
  expect((await listSnapshots(account)).unread).toMatchObject([{ cid }]);
  remove();
  // The network has lost a pack, and lists it: it is sent again by a machine that did not know it.
  const { fileList } = await listFiles({ apiKey: options.apiKey, endpoints: options.endpoints });
  const pack = fileList.find(({ fileName }) => fileName?.endsWith(".pack"))?.cid ?? "";
  const lose = devnet().faults.add({
    service: "gateway",
    path: new RegExp(pack),
    action: { kind: "respond", status: 404 },
  } as never);
  const again = await backupFolder(folder, { ...options, state: join(place, "again") });
  expect(again.sentBytes).toBeGreaterThan(50_000);
  await restoreBackup(again.cid, join(place, "again-to"), reader);
  expect(await readTree(join(place, "again-to"))).toEqual(await readTree(folder));
  // Without it the other files are restored.
  await writeFile(join(folder, "b"), "more");
  await backupFolder(folder, options);
  const [newest] = (await listSnapshots(account)).snapshots;
  const other = await findPacks(options, again.cid);
  const loseOther = devnet().faults.add({
    service: "gateway",
    path: new RegExp(other.join("|")),
    action: { kind: "respond", status: 404 },
  });
  const error = await failure(restoreBackup(newest?.cid ?? "", join(place, "half"), reader));
  expect(error).toMatchObject({ code: "RESTORE_UNFINISHED", details: { failed: [{ path: "a" }] } });
  expect(await readFile(join(place, "half", "b"), "utf8")).toBe("more");
  loseOther();
  lose();
  // Its chunks are in another pack, too, where the first snapshot does not look for them.
  await deleteListed(options, (file) => file.cid === pack);
  expect((await checkBackups(account)).problems).toMatchObject([{ cid }]);
  await deleteListed(options, ({ fileName }) => fileName?.endsWith(".pack") === true);
  const { problems } = await checkBackups(account);
  expect(problems.map(({ code }) => code)).toEqual(Array(3).fill("INVALID_SNAPSHOT"));
  // The next backup sends it again.
  expect(await backupFolder(folder, options)).toMatchObject({ isUnchanged: false });
  await restoreBackup((await backupFolder(folder, options)).cid, join(place, "to"), reader);
  expect(await readTree(join(place, "to"))).toEqual(await readTree(folder));
});

test("a recovery kit's key does all that the wallet does, also what returns the keys of each file", async () => {
  const { place, folder, options } = await prepareBackup(devnet(), { a: "one" }, { accountNumber: 3 });
  const { cid } = await backupFolder(folder, options);
  const { cid: repository } = JSON.parse(await readFile(join(options.state, "repository.json"), "utf8"));
  const key = await recoverKey(repository, options);
  const { apiKey, endpoints } = options;
  await restoreBackup(cid, join(place, "to"), { key, endpoints });
  expect(await readFile(join(place, "to", "a"), "utf8")).toBe("one");
  const asked: string[] = [];
  const keys = (of: string) => {
    asked.push(of);
    return [key];
  };
  expect(await restoreBackup(cid, join(place, "to"), { key: keys, endpoints })).toMatchObject({ files: 1 });
  expect(asked).toEqual([repository]);
  await forgetSnapshots({ key, apiKey, endpoints, keep: { last: 1 } });
  const state = join(place, "by key");
  expect(await pruneBackups({ key, apiKey, endpoints, state, graceMs: 0 })).toMatchObject({ kept: 1 });
  expect(await backupFolder(folder, { key, apiKey, endpoints, state })).toMatchObject({ sentBytes: 0 });
});

/** Recovers a file's key as a recovery kit has it. */
async function recoverKey(cid: string, { signer, endpoints }: { signer: Wallet; endpoints: EndpointOptions }) {
  const { shards } = await kavachRecoverShards(cid, { signer, endpoints, pauseMs: 0 });
  return (await kavachRecoverKey(shards)).masterKey;
}

/** Returns the packs that a snapshot names. */
async function findPacks({ signer, endpoints }: { signer: Wallet; endpoints: EndpointOptions }, cid: string) {
  const snapshot = await openSnapshot(cid, resolveOptions(readSchema, { signer, endpoints, pauseMs: 0 }));
  return snapshot?.content.packs ?? expect.fail();
}

/** Passes connections on to a service on loopback once they are released. */
async function holdConnections(service: string) {
  const { hostname, port } = new URL(service);
  const [first, opened] = [createGate(), createGate()];
  const server = createServer(async (client) => {
    client.on("error", () => undefined);
    first.reach();
    await opened.reached;
    const upstream = connect(Number(port), hostname).on("error", () => undefined);
    client.pipe(upstream).pipe(client);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void server.close());
  const { port: own } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${own}`, reached: first.reached, release: async () => opened.reach() };
}
