import { type KeyShard, kavachSaveShards, kavachShardKey } from "../../../src/index.ts";
import type { AttackCase } from "../attack-case.ts";
import { makeOtherShards } from "../forgeries.ts";
import type { Rig } from "../rig.ts";

const CORRECTED = "files open; the faulty node is excluded and named";

/** Replaces the file's shards by new ones of the same key; these nodes return the old ones. */
export async function replaceShards({ people, target }: Rig, nodes: readonly number[]) {
  const { shards } = target;
  const { keyShards } = await kavachShardKey(target.masterKey);
  await kavachSaveShards(target.cid, { ...people.owner, keyShards, shareTo: people.friend.signer.address });
  const old = nodes.map((node) => [node, toShard(shards.find((shard) => shard.node === node))]);
  return [{ kind: "return-shards", cid: target.cid, shards: Object.fromEntries(old) }] as const;
}

/** Attacks that one key node can carry out. */
export const oneNodeAttacks: readonly AttackCase[] = [
  {
    name: "key replacement by one node",
    outcome: CORRECTED,
    attacks: async ({ target: { cid } }) => [{ kind: "return-shards", cid, ...(await makeShards([2])) }],
    paths: { inspect: "reported", "recover key": "reported" },
  },
  {
    name: "downgrade of the scheme by one node",
    outcome: CORRECTED,
    attacks: async ({ target: { cid } }) => [
      { kind: "return-shards", cid, ...(await makeShards([3], { scheme: "gf256" })) },
    ],
    paths: { inspect: "reported", "recover key": "INVALID_SHARDS" },
  },
  {
    name: "downgrade of the threshold by one node",
    outcome: CORRECTED,
    attacks: async ({ target: { cid } }) => [
      { kind: "return-shards", cid, ...(await makeShards([4], { threshold: 2 })) },
    ],
    paths: { inspect: "reported", "recover key": "reported" },
  },
  {
    name: "another node's shard, returned by one node",
    outcome: CORRECTED,
    attacks: ({ target: { cid, shards } }) => [
      { kind: "return-shards", cid, shards: { 2: toShard(shards.find(({ node }) => node === 1)) } },
    ],
    paths: { inspect: "reported", "recover key": "INVALID_SHARDS" },
  },
  {
    name: "an old shard, returned by one node",
    outcome: CORRECTED,
    attacks: (rig) => replaceShards(rig, [5]),
    paths: { inspect: "reported", "recover key": "reported" },
  },
  {
    name: "ownership forged at one node",
    outcome: "files open; owner's calls name the node that refuses, and repair leaves it alone",
    attacks: ({ target: { cid }, people }) => [
      { kind: "seize", cid, nodes: [5], owner: people.stranger.signer.address },
    ],
    paths: {
      inspect: "reported",
      "recover key": "NODES_FAILED",
      repair: "reported",
      revoke: "NODE_REFUSED",
      share: "NODE_REFUSED",
    },
  },
  {
    name: "strangers and revoked addresses admitted by one node",
    outcome: "they receive one shard, which reveals nothing",
    attacks: ({ target: { cid }, people }) => [
      {
        kind: "admit",
        cid,
        nodes: [1],
        addresses: [people.stranger, people.friend].map(({ signer }) => signer.address),
      },
    ],
    paths: {},
  },
  {
    name: "changes confirmed and ignored by one node",
    outcome: "four nodes carry them out, which is enough to open and to revoke",
    attacks: () => [{ kind: "ignore-changes", nodes: [3] }],
    uploads: true,
    paths: {},
  },
];

function toShard({ key = "", index = "" }: Partial<KeyShard> = {}): KeyShard {
  return { key, index };
}

async function makeShards(...args: Parameters<typeof makeOtherShards>) {
  return { shards: (await makeOtherShards(...args)).shards };
}
