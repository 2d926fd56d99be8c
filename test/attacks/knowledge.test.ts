import { beforeAll, expect, test } from "vitest";
import { decryptFile } from "../../packages/lighthouse-sdk/src/index.ts";
import { decryptBytes, encryptBytes, kavachInspect, kavachRecoverKey, kavachRepair } from "../../src/index.ts";
import { choose, corruptShard } from "../kavach/shard-tools.ts";
import { devnetForTests } from "../support/devnet-wire.ts";
import { failure } from "../support/failure.ts";
import { SEVERAL_BLOCKS } from "./cases/content.ts";
import { createRig, createTarget, type Rig } from "./rig.ts";

const devnet = devnetForTests();
let rig: Omit<Rig, "target">;
beforeAll(async () => {
  rig = await createRig(devnet());
});

const readShards = (nodes: readonly number[]) => devnet().attacks.readShards(rig.other.cid, nodes);

test("the disk of one node reveals nothing of the key", async () => {
  for (const node of [1, 2, 3, 4, 5]) {
    expect(await failure(kavachRecoverKey(readShards([node])))).toMatchObject({ code: "CANNOT_RECOVER_KEY" });
  }
});

test("the disks of two nodes reveal nothing of the key", async () => {
  const { masterKey } = rig.other;
  for (const pair of choose([1, 2, 3, 4, 5], 2)) {
    // A line through two points of a parabola: every key is equally likely.
    expect((await kavachRecoverKey(readShards(pair), { threshold: 2 })).masterKey).not.toBe(masterKey);
  }
});

test("the disks of three nodes open the file", async () => {
  const { encrypted, text } = rig.other;
  const { masterKey } = await kavachRecoverKey(readShards([1, 3, 5]));
  expect(new TextDecoder().decode(await decryptBytes(encrypted, masterKey))).toBe(text);
});

test("three shards, of which one is wrong, yield a wrong key unless `strict` is set", async () => {
  const shards = readShards([1, 2, 3]).map((shard, at) => (at === 0 ? corruptShard(shard) : shard));
  expect((await kavachRecoverKey(shards)).masterKey).not.toBe(rig.other.masterKey);
  expect(await failure(kavachRecoverKey(shards, { strict: true }))).toMatchObject({
    code: "CANNOT_RECOVER_KEY",
    details: { needed: 4, got: 3 },
  });
});

test("a repaired node shares with everyone whom the network reports", async () => {
  const { people, other } = rig;
  const stranger = people.stranger.signer.address.toLowerCase();
  const sharedTo = [people.friend.signer.address, stranger];
  const remove = devnet().attacks.add({ kind: "misreport-access", cid: other.cid, sharedTo });
  const mend = devnet().faults.add({
    service: "keyNodes",
    node: 4,
    path: "/api/retrieve",
    action: { kind: "respond", json: { payload: null } },
  });
  const repaired = await kavachRepair(other.cid, people.owner);
  mend();
  remove();
  expect(repaired.sharedTo).toContain(stranger);
  const { nodes } = await kavachInspect(other.cid, people.stranger);
  expect(nodes.map(({ state }) => state)).toEqual(["refused", "refused", "refused", "holds", "refused"]);
});

test("a drop-in accepts a file that a recipient made if the gateway refuses blocks", async () => {
  const target = await createTarget(rig, { bytes: SEVERAL_BLOCKS });
  const { cid, masterKey, text } = target;
  const { gateway } = devnet().endpoints;
  const open = async () => new TextDecoder().decode(await decryptFile(cid, masterKey, undefined, gateway));
  expect(await open()).toBe(text);
  const forged = await encryptBytes(new TextEncoder().encode("made by a recipient"), masterKey);
  devnet().attacks.add({ kind: "tamper-content", cid, change: () => forged });
  await expect(open()).rejects.toThrow("sent other bytes");
  devnet().attacks.add({ kind: "refuse-blocks", cid });
  expect(await open()).toBe("made by a recipient");
  devnet().attacks.clear();
});
