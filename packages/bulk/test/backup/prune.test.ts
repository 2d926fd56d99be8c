import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { iterateFiles, uploadTextEncrypted } from "../../../../src/index.ts";
import { devnetForTests } from "../../../../test/support/devnet-wire.ts";
import { failure } from "../../../../test/support/failure.ts";
import type { Fault } from "../../../devnet/src/index.ts";
import {
  backupFolder,
  getSnapshot,
  listSnapshots,
  previewPrune,
  pruneSnapshots,
  restoreBackup,
} from "../../src/backup/index.ts";
import { prepareBackup, readTree } from "./rig.ts";

// What is deleted is gone at once: nothing that is required may be.
const devnet = devnetForTests({ unkind: true });

afterEach(() => {
  devnet().faults.clear();
  devnet().attacks.clear();
});

/** Makes four backups, each with a change; returns the trees by the content ids of their snapshots. */
async function prepareFour() {
  const prepared = await prepareBackup(devnet(), { a: "one", b: "two" });
  const trees = new Map<string, Record<string, string>>();
  for (const text of ["1", "2", "3", "4"]) {
    await writeFile(join(prepared.folder, "changing"), text);
    const { cid } = await backupFolder(prepared.folder, prepared.options);
    trees.set(cid, await readTree(prepared.folder));
  }
  return { ...prepared, trees, cids: [...trees.keys()] };
}

async function listNames(options: { apiKey: string; endpoints: object }): Promise<string[]> {
  const names: string[] = [];
  const { apiKey, endpoints } = options;
  for await (const { fileName } of iterateFiles({ apiKey, endpoints })) names.push(String(fileName));
  return names;
}

test("snapshots are listed by the account alone, and each is opened", async () => {
  const { options, reader, cids, folder } = await prepareFour();
  const { state: _, ...account } = options;
  const list = await listSnapshots(account);
  const own = list.snapshots.filter(({ cid }) => cids.includes(cid));
  expect(own.map(({ cid }) => cid)).toEqual([...cids].reverse());
  expect(own[0]).toMatchObject({ name: "letters", files: 3, bytes: 7 });
  expect(JSON.stringify(own)).not.toContain("key");
  const { set } = await getSnapshot(cids[0] ?? "", reader);
  const [forged] = await uploadTextEncrypted("no snapshot", { ...account, name: `keeplight-backup-${set}.1.snapshot` });
  expect((await listSnapshots(account)).unread).toContainEqual({ cid: forged.Hash, code: "INVALID_SNAPSHOT" });
  expect((await failure(getSnapshot(forged.Hash, reader))).code).toBe("INVALID_SNAPSHOT");
  expect(folder).toMatch(/letters$/);
});

test("the newest snapshots are kept with their files, and what only the others have is deleted", async () => {
  const { place, options, reader, trees, cids, folder } = await prepareFour();
  const before = await listNames(options);
  // The first batch has files of all snapshots.
  expect(await pruneSnapshots({ ...options, keep: 2 })).toEqual({ kept: 2, snapshots: 2, batches: 1 });
  expect((await listNames(options)).length).toBe(before.length - 3);
  for (const cid of cids.slice(2)) {
    await restoreBackup(cid, join(place, cid), reader);
    expect(await readTree(join(place, cid))).toEqual(trees.get(cid));
  }
  expect(await pruneSnapshots({ ...options, keep: 2 })).toEqual({ kept: 2, snapshots: 0, batches: 0 });
  // What was deleted is sent again.
  await writeFile(join(folder, "changing"), "1");
  expect(await backupFolder(folder, options)).toMatchObject({ sent: 1 });
});

test("nothing is deleted unless all snapshots that are kept can be read", async () => {
  const { options, cids } = await prepareFour();
  const before = await listNames(options);
  devnet().faults.add({
    service: "gateway",
    path: new RegExp(cids[3] ?? ""),
    action: { kind: "respond", status: 404 },
  });
  await failure(pruneSnapshots({ ...options, keep: 1 }));
  expect(await listNames(options)).toEqual(before);
});

test("a call that is interrupted leaves whole snapshots, and is continued", async () => {
  const { place, options, reader, trees, cids } = await prepareFour();
  devnet().faults.add({
    service: "api",
    path: "/api/user/delete_file",
    after: 2,
    action: { kind: "respond", status: 500 },
  });
  await failure(pruneSnapshots({ ...options, keep: 1 }));
  devnet().faults.clear();
  const last = cids[3] ?? "";
  await restoreBackup(last, join(place, "to"), reader);
  expect(await readTree(join(place, "to"))).toEqual(trees.get(last));
  const { snapshots, batches, kept } = await pruneSnapshots({ ...options, keep: 1 });
  expect({ snapshots, batches, kept }).toEqual({ snapshots: 1, batches: 2, kept: 1 });
});

/** Makes two backups, of which only the account knows the second, as if the state was an earlier copy. */
async function prepareUnknown() {
  const prepared = await prepareBackup(devnet(), { a: "one" });
  const { folder, options } = prepared;
  await backupFolder(folder, options);
  const earlier = await readFile(join(options.state, "set.json"));
  await writeFile(join(folder, "a"), "two");
  const { cid } = await backupFolder(folder, options);
  await writeFile(join(options.state, "set.json"), earlier);
  return { ...prepared, cid };
}

test("files of a snapshot that only the account knows are kept", async () => {
  const { place, folder, options, reader, cid } = await prepareUnknown();
  await writeFile(join(folder, "a"), "three");
  await backupFolder(folder, options);
  expect(await pruneSnapshots({ ...options, keep: 2 })).toMatchObject({ snapshots: 0, batches: 0 });
  await restoreBackup(cid, join(place, "to"), reader);
  expect(await readFile(join(place, "to", "a"), "utf8")).toBe("two");
  // It is older than all that this machine keeps now.
  expect(await pruneSnapshots({ ...options, keep: 1 })).toMatchObject({ snapshots: 2, batches: 2 });
});

/** Lets the key nodes return three shards, those of the snapshot that is read first, and then nothing but this. */
const failKeysAfterFirst = (status: number, text: string): Fault => ({
  service: "keyNodes",
  path: /retrieveSharedKey/,
  after: 3,
  action: { kind: "respond", status, text },
});

const failGateway = (status: number, cid: string): Fault => ({
  service: "gateway",
  path: new RegExp(cid),
  action: { kind: "respond", status, json: {} },
});

test.each<[string, string, (cid: string) => Fault]>([
  ["whose key no node has", "CID_NOT_FOUND", () => failKeysAfterFirst(200, "null")],
  ["whose key no node returns", "NODES_FAILED", () => failKeysAfterFirst(500, "{}")],
  ["that no gateway has", "HTTP_STATUS", (cid) => failGateway(404, cid)],
  ["that no gateway returns", "HTTP_STATUS", (cid) => failGateway(500, cid)],
])("nothing is deleted while there is a snapshot of another machine %s", async (_, code, toFault) => {
  const { place, folder, options, reader, cid } = await prepareUnknown();
  // This machine has no use for what only that snapshot refers to.
  await writeFile(join(folder, "a"), "one");
  await rm(join(options.state, "index.jsonl"));
  const before = await listStored(options);
  const once = { ...options, attempts: 1, keep: 1 };
  for (const call of [previewPrune, pruneSnapshots]) {
    devnet().faults.add(toFault(cid));
    expect((await failure(call(once))).code).toBe(code);
    devnet().faults.clear();
    expect(await listStored(options)).toEqual(before);
  }
  await pruneSnapshots(once);
  await restoreBackup(cid, join(place, "to"), reader);
  expect(await readFile(join(place, "to", "a"), "utf8")).toBe("two");
});

test("batches of a backup that is not complete are kept", async () => {
  const { place, folder, options, reader } = await prepareBackup(devnet(), { a: "one" });
  await backupFolder(folder, options);
  await writeFile(join(folder, "b"), "two");
  const stopped = backupFolder(folder, {
    ...options,
    onProgress: ({ phase, files }) => {
      if (phase === "sending" && files > 0) throw new Error("stopped");
    },
  });
  await expect(stopped).rejects.toThrow("stopped");
  const before = await listStored(options);
  expect((await previewPrune({ ...options, keep: 1 })).batches).toEqual([]);
  expect(await pruneSnapshots({ ...options, keep: 1 })).toEqual({ kept: 1, snapshots: 0, batches: 0 });
  expect(await listStored(options)).toEqual(before);
  const { cid } = await backupFolder(folder, options);
  await restoreBackup(cid, join(place, "to"), reader);
  expect(await readTree(join(place, "to"))).toEqual(await readTree(folder));
  await rm(folder, { recursive: true });
});

/** Lists what the account has, by the id of its listing. */
async function listStored({ apiKey, endpoints }: { apiKey: string; endpoints: object }): Promise<Map<string, string>> {
  const stored = new Map<string, string>();
  for await (const { id, cid } of iterateFiles({ apiKey, endpoints })) stored.set(id, cid);
  return stored;
}

/** Reads all files of a state. */
async function readState(state: string): Promise<Record<string, string>> {
  const names = (await readdir(state)).filter((name) => !name.includes(".lock."));
  const read = async (name: string) => [name, await readFile(join(state, name), "utf8").catch(String)];
  return Object.fromEntries(await Promise.all(names.map(read)));
}

test("a preview shows exactly what is deleted then, and changes nothing", async () => {
  const { folder, options, cids } = await prepareFour();
  const before = { stored: await listStored(options), state: await readState(options.state) };
  const first = await previewPrune({ ...options, keep: 2 });
  expect({ stored: await listStored(options), state: await readState(options.state) }).toEqual(before);
  expect(first.snapshots.map(({ cid }) => cid).sort()).toEqual(cids.slice(0, 2).sort());
  expect(first.snapshots.every(({ name, bytes = 0 }) => name.endsWith(".snapshot") && bytes > 0)).toBe(true);

  // An interrupted call continues, and so does its preview; files of a backup that is not complete are kept.
  devnet().faults.add({
    service: "api",
    path: "/api/user/delete_file",
    after: 1,
    action: { kind: "respond", status: 500 },
  });
  await failure(pruneSnapshots({ ...options, keep: 2 }));
  devnet().faults.clear();
  await writeFile(join(folder, "new"), "sent, but in no snapshot yet");
  const stopped = backupFolder(folder, {
    ...options,
    onProgress: ({ phase, files }) => {
      if (phase === "sending" && files > 0) throw new Error("stopped");
    },
  });
  await expect(stopped).rejects.toThrow("stopped");
  const left = await listStored(options);
  const preview = await previewPrune({ ...options, keep: 1 });
  const result = await pruneSnapshots({ ...options, keep: 1 });
  const now = await listStored(options);
  const deleted = [...left].filter(([id]) => !now.has(id));
  const shown = [...preview.snapshots, ...preview.batches].map(({ id, cid }) => [id, cid]);
  expect(shown.sort()).toEqual(deleted.sort());
  expect(result).toEqual({ kept: 1, snapshots: preview.snapshots.length, batches: preview.batches.length });
  expect(shown.length).toBeGreaterThan(1);
  expect(preview.kept).toBe(1);
});

test("a preview fails where nothing would be deleted, and creates no state", async () => {
  const { place, options, cids } = await prepareFour();
  devnet().faults.add({
    service: "gateway",
    path: new RegExp(cids[3] ?? ""),
    action: { kind: "respond", status: 404 },
  });
  const codes = await Promise.all(
    [previewPrune, pruneSnapshots].map(async (call) => (await failure(call({ ...options, keep: 1 }))).code),
  );
  expect(codes[0]).toBe(codes[1]);
  expect((await failure(previewPrune({ ...options, keep: 0 }))).code).toBe("INVALID_OPTION");
  const state = join(place, "none");
  expect((await failure(previewPrune({ ...options, state, keep: 1 }))).code).toBe("INVALID_OPTION");
  expect((await readdir(place)).includes("none")).toBe(false);
});

test("what cannot be meant is refused", async () => {
  const { place, options } = await prepareBackup(devnet(), { a: "one" });
  for (const keep of [0, -1, 1.5, undefined as unknown as number]) {
    expect((await failure(pruneSnapshots({ ...options, keep }))).code).toBe("INVALID_OPTION");
  }
  expect((await failure(pruneSnapshots({ ...options, state: join(place, "none"), keep: 1 }))).code).toBe(
    "INVALID_OPTION",
  );
});
