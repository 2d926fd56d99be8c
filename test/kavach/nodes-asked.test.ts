import { beforeAll, expect, test } from "vitest";
import { makeRecoveryKit } from "../../packages/recovery/src/index.ts";
import { decrypt, kavachRecoverShards, openEncrypted } from "../../src/index.ts";
import { createRig, type Rig } from "../attacks/rig.ts";
import { devnetForTests } from "../support/devnet-wire.ts";

const devnet = devnetForTests();
let rig: Omit<Rig, "target">;
beforeAll(async () => {
  rig = await createRig(devnet());
});

type Read = (options: Rig["people"]["owner"], file: Rig["other"]) => Promise<unknown>;

/** Every call that reads a key, and how many nodes see its token if none fails. */
const reads: [string, number, Read][] = [
  ["decrypt", 3, (options, { cid }) => decrypt(cid, options)],
  ["decrypt with a commitment", 3, (options, { cid, commitment }) => decrypt(cid, { ...options, commitment })],
  ["kavachRecoverShards", 3, (options, { cid }) => kavachRecoverShards(cid, options)],
  [
    "makeRecoveryKit, which takes four agreeing shards",
    4,
    (options, { cid }) => makeRecoveryKit([cid], { ...options, recipients: rig.recipient }),
  ],
  [
    "openEncrypted with a commitment",
    3,
    (options, { cid, commitment }) => openEncrypted(cid, { ...options, commitment }),
  ],
  ["openEncrypted, which proves the key by four shards", 4, (options, { cid }) => openEncrypted(cid, options)],
  ["decrypt with strict", 4, (options, { cid }) => decrypt(cid, { ...options, strict: true })],
];

async function countNodes(read: Read): Promise<number> {
  const before = devnet().requests().length;
  await read(rig.people.owner, rig.other);
  const sent = devnet().requests().slice(before);
  return new Set(sent.map(({ path }) => path).filter((path) => path.startsWith("/api/retrieveSharedKey"))).size;
}

test.each(reads)("%s queries as few nodes as it needs: %d", async (_, needed, read) => {
  expect(await countNodes(read)).toBe(needed);
});

test("a fourth node is queried after one has failed", async () => {
  const fail = { service: "keyNodes", path: "/api/retrieveSharedKey", times: 1 } as const;
  devnet().faults.add({ ...fail, action: { kind: "respond", status: 503, json: { message: "later" } } });
  expect(await countNodes((options, { cid }) => decrypt(cid, options))).toBe(4);
});
