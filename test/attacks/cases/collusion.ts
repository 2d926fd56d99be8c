import { encryptBytes, kavachGenerate, kavachSaveShards, upload } from "../../../src/index.ts";
import type { AttackCase } from "../attack-case.ts";
import { makeOtherShards, makeTwoKeyFile } from "../forgeries.ts";
import type { Outcome, Path } from "../paths.ts";
import { createTarget, type Rig } from "../rig.ts";
import { notProved, SEVERAL_BLOCKS, serveOther } from "./content.ts";
import { replaceShards } from "./one-node.ts";

const THREE_READ = "three nodes know the key, and may give it to anyone";
const DENIED = "an error: the two good shards do not recover the key; a recovery kit or share link opens the file";

const otherShards =
  (nodes: readonly number[], options?: Parameters<typeof makeOtherShards>[1]) =>
  async ({ target: { cid } }: Rig) => {
    const { shards } = await makeOtherShards(nodes, options);
    return [{ kind: "return-shards", cid, shards } as const];
  };

const admit =
  (nodes: readonly number[]) =>
  ({ target: { cid }, people }: Rig) => {
    const addresses = [people.stranger, people.friend].map(({ signer }) => signer.address);
    return [{ kind: "admit", cid, nodes, addresses } as const];
  };

const seize =
  (nodes: readonly number[]) =>
  ({ target: { cid }, people }: Rig) => [{ kind: "seize", cid, nodes, owner: people.stranger.signer.address } as const];

const OTHER_FILE =
  "the nodes decide about the key, but not about the bytes: what nothing proves to be the file is refused";

/** Another key at these nodes, and another file that it opens at the gateway. */
const otherKeyAndFile = (nodes: readonly number[]) => async (rig: Rig) => {
  const { masterKey, shards } = await makeOtherShards(nodes);
  const forged = await encryptBytes(new TextEncoder().encode("made by the network"), masterKey);
  const { cid } = rig.target;
  return [{ kind: "return-shards", cid, shards } as const, ...serveOther(rig, () => forged)];
};

const inDoubt = {
  "decrypt, strict": "CANNOT_RECOVER_KEY",
  "recover key": "CANNOT_RECOVER_KEY",
  inspect: "reported",
  repair: "CANNOT_RECOVER_KEY",
  "open encrypted": "KEY_NOT_PROVED",
} satisfies Partial<Record<Path, Outcome>>;

/** Three nodes deny the key: sharing succeeds on every node, and does not help. */
const keyDenied = {
  ...inDoubt,
  decrypt: "CANNOT_DECRYPT",
  "decrypt, commitment": "COMMITMENT_MISMATCH",
  "open encrypted, commitment": "COMMITMENT_MISMATCH",
  "make recovery kit": "CANNOT_DECRYPT",
  share: "deceived",
  transfer: "deceived",
} satisfies Partial<Record<Path, Outcome>>;

/** All five agree on another key: nothing but the file, or a commitment, contradicts them. */
const keyReplaced = {
  decrypt: "CANNOT_DECRYPT",
  "decrypt, strict": "CANNOT_DECRYPT",
  "decrypt, commitment": "COMMITMENT_MISMATCH",
  "open encrypted": "deceived",
  "open encrypted, commitment": "COMMITMENT_MISMATCH",
  "make recovery kit": "deceived",
  "recover key": "deceived",
  repair: "deceived",
  share: "deceived",
  transfer: "deceived",
} satisfies Partial<Record<Path, Outcome>>;

/** Attacks by several key nodes together, and by key nodes with the gateway or with the maker of the file. */
export const collusionAttacks: readonly AttackCase[] = [
  {
    name: "key replacement by two nodes",
    outcome: "files open with the right key, which the file's tag proves; `strict` refuses, as four shards must agree",
    attacks: otherShards([1, 2]),
    paths: inDoubt,
  },
  {
    name: "key replacement by three nodes",
    outcome: DENIED,
    attacks: otherShards([1, 2, 3]),
    paths: keyDenied,
  },
  {
    name: "key replacement by all five nodes",
    outcome:
      "nothing is decrypted, and a part of the file is noise, which only `commitment` notices; a recovery kit made before, or by `recovery` on upload, opens the file, one made of these shards does not",
    attacks: otherShards([1, 2, 3, 4, 5]),
    paths: keyReplaced,
  },
  {
    name: "downgrade of the scheme by three nodes",
    outcome: DENIED,
    attacks: otherShards([1, 2, 3], { scheme: "gf256" }),
    paths: { ...keyDenied, "recover key": "INVALID_SHARDS" },
  },
  {
    name: "downgrade of the threshold by three nodes",
    outcome: DENIED,
    attacks: otherShards([1, 2, 3], { threshold: 2 }),
    paths: keyDenied,
  },
  {
    name: "old shards, returned by three nodes",
    outcome: "files open, as the old shards recover the same key; `strict` refuses, as four shards must agree",
    attacks: (rig) => replaceShards(rig, [1, 2, 3]),
    paths: inDoubt,
  },
  {
    name: "key and file replacement by three nodes and the gateway",
    outcome: OTHER_FILE,
    bytes: SEVERAL_BLOCKS,
    attacks: otherKeyAndFile([1, 2, 3]),
    paths: {
      ...notProved,
      ...keyDenied,
      decrypt: "NOT_VERIFIED",
      "open encrypted": "UNSUPPORTED",
      "open encrypted, commitment": "UNSUPPORTED",
      "make recovery kit": "NOT_VERIFIED",
    },
  },
  {
    name: "key and file replacement by all five nodes and the gateway",
    outcome: OTHER_FILE,
    bytes: SEVERAL_BLOCKS,
    attacks: otherKeyAndFile([1, 2, 3, 4, 5]),
    paths: {
      ...keyReplaced,
      ...notProved,
      "decrypt, commitment": "COMMITMENT_MISMATCH",
    },
  },
  {
    name: "a file that two keys open",
    outcome:
      "the maker of the file, with five nodes, can show two people two contents; only `commitment`, a share link or a recovery kit, which hold one, make them agree",
    async attacks(rig) {
      const { people, apiKey } = rig;
      const [one, two] = [await kavachGenerate(), await kavachGenerate()];
      const texts = ["pay 10 to Alice!", "pay 99 to Mallory"] as const;
      const file = makeTwoKeyFile([one.masterKey, two.masterKey], texts);
      const [{ Hash: cid }] = await upload(file, { apiKey, endpoints: people.owner.endpoints, name: "two.txt" });
      await kavachSaveShards(cid, { ...people.owner, keyShards: one.keyShards });
      rig.target = await createTarget(rig, { stored: { cid, name: "two.txt" } });
      const shards = Object.fromEntries(two.keyShards.map((shard, at) => [at + 1, shard]));
      const claims = { mimeType: "text/plain", encryption: true };
      return [
        { kind: "return-shards", cid, shards },
        { kind: "tamper-record", cid, claims },
      ];
    },
    paths: { ...keyReplaced, decrypt: "deceived", "decrypt, strict": "deceived" },
  },
  {
    name: "ownership forged at two nodes",
    outcome: "files open from the other three; owner's calls name the nodes that refuse",
    attacks: seize([4, 5]),
    paths: {
      "decrypt, strict": "NODES_FAILED",
      "open encrypted": "KEY_NOT_PROVED",
      inspect: "reported",
      "recover key": "NODES_FAILED",
      repair: "reported",
      revoke: "NODE_REFUSED",
      share: "NODE_REFUSED",
    },
  },
  {
    name: "ownership forged at three nodes",
    outcome: `the owner is locked out at once; ${THREE_READ}; a recovery kit or share link opens the file`,
    attacks: seize([3, 4, 5]),
    paths: {
      decrypt: "NODE_REFUSED",
      "decrypt, strict": "NODE_REFUSED",
      "decrypt, commitment": "NODE_REFUSED",
      "open encrypted": "NODE_REFUSED",
      "open encrypted, commitment": "NODE_REFUSED",
      "decrypt by a stranger": "deceived",
      "make recovery kit": "NODE_REFUSED",
      inspect: "reported",
      "recover key": "NODE_REFUSED",
      repair: "NODES_FAILED",
      revoke: "NODE_REFUSED",
      share: "NODE_REFUSED",
      transfer: "deceived",
    },
  },
  {
    name: "strangers and revoked addresses admitted by two nodes",
    outcome: "they receive two shards, which reveal nothing",
    attacks: admit([1, 2]),
    paths: {},
  },
  {
    name: "strangers and revoked addresses admitted by three nodes",
    outcome: `${THREE_READ}: nothing in a client prevents or detects that`,
    attacks: admit([1, 2, 3]),
    paths: { "decrypt by a stranger": "deceived", revoke: "deceived" },
  },
  {
    name: "changes confirmed and ignored by two nodes",
    outcome: "three nodes carry them out, which is enough to open and to revoke",
    attacks: () => [{ kind: "ignore-changes", nodes: [1, 2] }],
    uploads: true,
    paths: {},
  },
  {
    name: "changes confirmed and ignored by three nodes",
    outcome:
      "a revoked person keeps access, and a new file's key is lost unless a recovery kit (`recovery`) has it; `kavachInspect` shows missing shards",
    attacks: () => [{ kind: "ignore-changes", nodes: [1, 2, 3] }],
    uploads: true,
    paths: { share: "deceived", revoke: "deceived", transfer: "deceived", "upload encrypted": "deceived" },
  },
];
