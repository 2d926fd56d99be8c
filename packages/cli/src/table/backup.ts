import { optionTexts } from "./option-texts.ts";
import { commandsOf, signing, storage } from "./spec.ts";

export const backupCommands = commandsOf(() => import("../commands/backup.ts"), {
  backup: {
    about:
      "Back up a folder: send what has changed, and store a snapshot. Files are encrypted, and only snapshots have their key: this account opens them on any machine. A backup that was interrupted is continued by the same command. Ends with exit code 2 if files could not be read.",
    arguments: { "<folder>": "what to back up" },
    options: {
      "--public": optionTexts["BackupOptions.public"],
      "--workers <count>": optionTexts["BackupOptions.workers"],
      ...storage,
      ...signing,
    },
    writes: "files on the network",
    examples: { "keeplight backup ~/letters": "sends the files that are new or have changed" },
    item: { path: "of a file that could not be read", code: "of the error" },
    result: {
      "cid?": "content id of the snapshot",
      "createdAt?": "milliseconds since 1970",
      files: "how many files the snapshot has",
      bytes: "of all of them",
      "sent?": "how many files were sent",
      "isUnchanged?": "whether nothing has changed since the last snapshot, which is this one",
      "skipped?": "how many files could not be read",
      "filesToSend?": "with `--dry-run`: how many files are new or have changed",
      "bytesToSend?": "with `--dry-run`: of those files",
    },
  },
  restore: {
    about:
      "Restore a snapshot of a backup. Every file is verified before it gets its name. Files that are there already with the right bytes stay, so that the same command continues a restore that was interrupted.",
    arguments: { "<snapshot>": "content id of the snapshot", "<folder>": "where to restore it" },
    options: {
      "--overwrite": optionTexts["RestoreOptions.overwrite"],
      "--outside-links": optionTexts["RestoreOptions.outsideLinks"],
      "--workers <count>": optionTexts["RestoreOptions.workers"],
      ...signing,
    },
    writes: "files on this machine",
    examples: { "keeplight restore bafy… letters": "restores everything below letters" },
    item: { path: "of what was left out", reason: "`name`: this system has no such names; `link`: it leads out" },
    result: {
      files: "how many files the snapshot has",
      bytes: "of all of them",
      "restored?": "how many files were written; the others were there",
      "skipped?": "how many entries were left out",
    },
  },
  snapshots: {
    about:
      "List the snapshots of the account. Those of other machines, too. Each is opened, because names in the listing of an account prove nothing.",
    options: signing,
    examples: { "keeplight snapshots -q | head -1": "prints the content id of the newest snapshot" },
    item: {
      cid: "content id, for `keeplight restore`",
      set: "id of the backups that it belongs to",
      name: "of the folder",
      createdAt: "milliseconds since 1970",
      files: "how many files it has",
      bytes: "of all of them",
    },
    result: { count: "how many snapshots there are", unread: "how many could not be opened" },
  },
  prune: {
    about:
      "Delete old snapshots of a folder, and the files that only they have. Snapshots that are kept are read first, so that nothing is deleted that they refer to. Files are deleted in batches, each once none of its files is required. --dry-run reads the same, and lists what would be deleted.",
    arguments: { "<folder>": "that was backed up from this machine" },
    options: {
      "--keep <count>": optionTexts["PruneOptions.keep"],
      "--storage <class>": optionTexts["PruneOptions.storage"],
      "-y, --yes": "do not ask",
      ...signing,
    },
    writes: "the listing of the account",
    examples: { "keeplight prune ~/letters --keep 30 --yes": "keeps the 30 newest snapshots" },
    item: {
      kind: "with `--dry-run`, of what would be deleted: `snapshot` or `batch`",
      id: "of the listing",
      cid: "content id",
      name: "that it is stored under",
      bytes: "or `null`",
    },
    result: {
      kept: "how many snapshots are kept",
      snapshots: "how many snapshots are deleted; with `--dry-run` would be",
      batches: "how many batches of files are deleted; with `--dry-run` would be",
    },
  },
});
