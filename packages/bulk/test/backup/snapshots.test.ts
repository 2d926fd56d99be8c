import { afterEach, expect, test } from "vitest";
import { kavachShardKey, uploadTextEncrypted } from "../../../../src/index.ts";
import { devnetForTests } from "../../../../test/support/devnet-wire.ts";
import { failure } from "../../../../test/support/failure.ts";
import { backupFolder, getSnapshot, listSnapshots } from "../../src/backup/index.ts";
import { prepareBackup } from "./rig.ts";

const devnet = devnetForTests();

afterEach(() => {
  devnet().faults.clear();
  devnet().attacks.clear();
  for (const node of [1, 2, 3, 4, 5]) devnet().startNode(node);
});

async function backUp() {
  const { folder, options, reader } = await prepareBackup(devnet(), { a: "one", b: "two" });
  const { cid } = await backupFolder(folder, options);
  const { state: _, ...account } = options;
  return { cid, account, reader };
}

/** Node 3 returns the shard of another key. */
async function returnOtherShard(cid: string): Promise<void> {
  const { keyShards } = await kavachShardKey("11".repeat(32));
  devnet().attacks.add({ kind: "return-shards", cid, shards: { 3: keyShards[2] } });
}

const pairs = [1, 2, 3, 4, 5].flatMap((a) => [1, 2, 3, 4, 5].filter((b) => b > a).map((b) => [a, b] as const));

test("snapshots are listed while any two key nodes are down", async () => {
  const { cid, account, reader } = await backUp();
  const healthy = await listSnapshots(account);
  expect(healthy.snapshots.map((snapshot) => snapshot.cid)).toContain(cid);
  for (const pair of pairs) {
    for (const node of pair) devnet().stopNode(node);
    expect(await listSnapshots({ ...account, attempts: 1 })).toEqual(healthy);
    for (const node of pair) devnet().startNode(node);
  }
  devnet().stopNode(1);
  devnet().stopNode(2);
  const parallel = await getSnapshot(cid, { ...reader, attempts: 1, pacing: "parallel" });
  expect(parallel).toMatchObject({ cid, name: "letters", files: 2, bytes: 6 });
});

test.each([
  ["have lost its key", { status: 200, text: "null" }],
  ["refuse to return it", { status: 500, json: { message: "no" } }],
])("a snapshot is listed while two key nodes %s", async (_, response) => {
  const { cid, account } = await backUp();
  for (const node of [2, 4]) {
    devnet().faults.add({
      service: "keyNodes",
      node,
      path: /retrieveSharedKey/,
      action: { kind: "respond", ...response },
    });
  }
  const { snapshots, unread } = await listSnapshots({ ...account, attempts: 1 });
  expect(unread).toEqual([]);
  expect(snapshots.map((snapshot) => snapshot.cid)).toContain(cid);
});

test("a snapshot is listed although one key node returns another shard", async () => {
  const { cid, reader } = await backUp();
  await returnOtherShard(cid);
  for (let round = 0; round < 4; round++) expect(await getSnapshot(cid, reader)).toMatchObject({ files: 2 });
});

test("what cannot be opened is reported, and not called another file without a proof", async () => {
  const { cid, account, reader } = await backUp();
  const once = { ...account, attempts: 1 };
  for (const node of [1, 2, 3]) devnet().stopNode(node);
  expect((await listSnapshots(once)).unread).toContainEqual({ cid, code: "NODES_FAILED" });
  devnet().startNode(3);
  await returnOtherShard(cid);
  expect((await listSnapshots(once)).unread).toContainEqual({ cid, code: "KEY_NOT_PROVED" });
  for (const node of [1, 2]) devnet().startNode(node);
  const [other] = await uploadTextEncrypted("no snapshot", account);
  expect((await failure(getSnapshot(other.Hash, reader))).code).toBe("INVALID_SNAPSHOT");
});
