import type { AttackRow } from "../attack-case.ts";

/** Attacks on backups, with a test of their own, in `backups.test.ts`, as rows of THREAT-MODEL.md. */
export const backupRows: readonly AttackRow[] = [
  {
    name: "a key of backups that a stranger made, listed in the account and shared with it",
    outcome: "only a key that the account owns, by the key nodes, is used: nothing is encrypted under it",
  },
  {
    name: "a snapshot that a stranger made and shared, of the first format, listed in the account",
    outcome: "only snapshots that the account owns, by the key nodes, are listed",
    noticed: "list snapshots: reported",
    limit: "`restoreBackup` of its content id restores what was shared, inside the folder",
  },
  {
    name: "other bytes under the content ids of packs of backups",
    outcome: "each chunk is verified before it is used: files that lack one are listed, the others are restored",
    noticed: "restore: `RESTORE_UNFINISHED`; check: reported",
  },
  {
    name: "a pack of backups that is gone from the listing",
    outcome: "the snapshot opens as long as gateways have it; the next backup sends it again",
    noticed: "check: reported",
  },
  {
    name: "a snapshot of backups hidden from the listing",
    outcome: "who decides what is listed can delete it as well; prune takes two runs, three days apart",
    limit: "list snapshots; check; prune, which deletes what only it needs",
  },
  {
    name: "a snapshot that leads out of the folder, or through a link",
    outcome: "it is refused before anything is written; nothing is written through links",
    noticed: "restore: `INVALID_SNAPSHOT`, `FILE_EXISTS`",
  },
];
