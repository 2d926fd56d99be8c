import type { AttackRow } from "../attack-case.ts";

/** Attacks with a test of their own, in `knowledge.test.ts`, as rows of THREAT-MODEL.md. */
export const knowledgeRows: readonly AttackRow[] = [
  { name: "the disk of one node reveals nothing of the key", outcome: "nothing to notice" },
  { name: "the disks of two nodes reveal nothing of the key", outcome: "nothing to notice" },
  {
    name: "the disks of three nodes open the file",
    outcome: "nothing shows: three of five shards are the key",
    limit: "every path",
  },
  {
    name: "three shards, of which one is wrong, yield a wrong key unless `strict` is set",
    outcome: "`kavachRecoverKey` has nothing to compare three shards with; `decrypt` has the file's tag",
    limit: "recover key without `strict`",
  },
  {
    name: "a repaired node shares with everyone whom the network reports",
    outcome: "the result's `sharedTo` lists them; revoke whom it should not contain",
    limit: "repair of a lost shard",
  },
  {
    name: "a drop-in accepts a file that a recipient made if the gateway refuses blocks",
    outcome:
      "like the incumbents, the drop-ins return what nothing disproves; wrong blocks, and bytes that blocks refute, are refused",
    limit: "`decryptFile` of `@keeplight/lighthouse-sdk`",
  },
];
