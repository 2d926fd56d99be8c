import { optionTexts } from "./option-texts.ts";
import { bucket, commandsOf, filters, signing, storage, type Texts } from "./spec.ts";

const kit: Texts = {
  "--kit <path>": "take the keys from this recovery kit; no key node is queried",
  "--identity <file>": "file with the age identity that opens the kit",
};

const tag = { "--tag <word>...": "only snapshots that have this tag" };

const snapshot: Texts = {
  cid: "content id, for `keeplight restore`",
  id: "stays, although the content id changes when packs are repacked",
  createdAt: "milliseconds since 1970",
  host: "name of the machine",
  root: "path of the folder on that machine",
  tags: "list of words",
  files: "how many files it has",
  bytes: "of all of them",
};

const isFirstFormat = { isFirstFormat: "whether it is of the first format, which is restored, and no rule forgets it" };

export const backupCommands = [
  ...commandsOf(() => import("../commands/backup.ts"), {
    backup: {
      about:
        "Back up a folder, and store a snapshot. Files are cut into chunks by their contents; each is stored once for all folders and machines of the account, compressed and encrypted: this account opens them on any machine. Files that match the folder's .keeplightignore (in the syntax of .gitignore) are left out. A backup that was interrupted is continued by the same command. Ends with exit code 2 if files could not be read. A bucket is read with the credentials of the AWS configuration; it requires the packages @keeplight/s3 and @aws-sdk/client-s3.",
      arguments: { "<folder>": "what to back up; or s3://bucket/prefix" },
      options: {
        "--tag <word>...": "a word to choose the snapshot by",
        ...filters,
        ...storage,
        ...bucket,
        ...signing,
      },
      writes: "chunks and a snapshot on the network",
      examples: {
        "keeplight backup ~/letters": "sends what is new or has changed",
        "keeplight backup ~ --exclude node_modules/ --tag home": "leaves out all folders of that name",
        "keeplight backup s3://photos --region eu-central-1": "sends objects of a bucket that are new or have changed",
      },
      item: { path: "of a file that could not be read", code: "of the error" },
      result: {
        files: "how many files the snapshot has",
        bytes: "of all of them",
        ...Object.fromEntries(
          Object.entries(snapshot)
            .filter(([name]) => name !== "files" && name !== "bytes")
            .map(([name, text]) => [`${name}?`, text]),
        ),
        "sentBytes?": "how many bytes were sent",
        "isUnchanged?": "whether nothing has changed since the last snapshot, which is this one",
        "skipped?": "how many files could not be read",
        "filesToRead?": "with `--dry-run`: how many files are new or have changed",
        "bytesToRead?": "with `--dry-run`: of those files; the account may have parts of them already",
      },
    },
    restore: {
      about:
        "Restore a snapshot of a backup, or a path of it. Every file is verified before it gets its name. Files that are there already with the right bytes stay, so that the same command continues a restore that was interrupted. Ends with exit code 2 if something was left out.",
      arguments: { "<snapshot>": "content id of the snapshot", "<folder>": "where to restore it" },
      options: {
        "--path <path>": "only this file or folder of the snapshot",
        "--overwrite": optionTexts["RestoreOptions.overwrite"],
        "--outside-links": optionTexts["RestoreOptions.outsideLinks"],
        "--workers <count>": optionTexts["RestoreOptions.workers"],
        ...kit,
        ...signing,
      },
      writes: "files on this machine",
      examples: {
        "keeplight restore bafy… letters": "restores everything below letters",
        "keeplight restore bafy… letters --path 2026/may --kit kit.age": "restores one folder, without the key nodes",
      },
      item: {
        path: "of what was left out",
        reason:
          "`name`: this system has no such names; `link`: it leads out; `mode`: it is there, and does not run as its owner or group",
      },
      result: {
        files: "how many files were to be restored",
        bytes: "of all of them",
        "restored?": "how many files were written; the others were there",
        "skipped?": "how many entries were left out",
      },
    },
  }),
  ...commandsOf(() => import("../commands/schedule.ts"), {
    schedule: {
      about:
        "Print what runs a backup regularly: a service and a timer of systemd, and a line for crontab. Nothing is installed. Runs of systemd that were missed, as the machine was off, are made up for.",
      arguments: { "<folder>": "what to back up; or s3://bucket/prefix" },
      options: {
        "--every <period>": "hour, day or week; by default day",
        "--tag <word>...": "a word to choose the snapshots by",
        ...filters,
        ...storage,
        ...bucket,
      },
      examples: { "keeplight schedule ~/letters --every hour": "prints units for every hour" },
      result: { unit: "name of the units", service: "their text", timer: "their text", cron: "line for crontab" },
    },
  }),
  ...commandsOf(() => import("../commands/snapshots.ts"), {
    snapshots: {
      about:
        "List the snapshots of the account. Those of other machines, too. Each is opened, because names in the listing of an account prove nothing.",
      options: { ...tag, ...kit, ...signing },
      examples: { "keeplight snapshots -q | head -1": "prints the content id of the newest snapshot" },
      item: { ...snapshot, ...isFirstFormat },
      result: { count: "how many snapshots there are", unread: "how many could not be opened" },
    },
    "snapshot ls": {
      about: "List what a snapshot has. No file is downloaded.",
      arguments: { "<snapshot>": "content id of the snapshot", "[path]": "only this file or folder of it" },
      options: { ...kit, ...signing },
      examples: { "keeplight snapshot ls bafy… 2026": "lists one folder of it" },
      item: {
        path: "below the folder that was backed up",
        kind: "`file`, `folder`, `link` for a symbolic link, `name` for another name of a file",
        "size?": "of a file, in bytes",
        "mtime?": "when it was changed, in milliseconds since 1970",
        "target?": "of a link or a name",
      },
      result: { count: "how many entries were listed" },
    },
    "snapshot diff": {
      about: "List what differs between two snapshots. No file is downloaded.",
      arguments: { "<before>": "content id of a snapshot", "<after>": "content id of another one" },
      options: { ...kit, ...signing },
      examples: { "keeplight snapshot diff bafy… bafy…": "prints +, -, M (other content) or m (other mode or time)" },
      item: { path: "below the folder", change: "`added`, `removed`, `content` or `facts` (mode or time)" },
      result: {
        added: "how many entries",
        removed: "how many entries",
        content: "how many have other contents",
        facts: "how many have only another mode or time",
      },
    },
    "snapshot check": {
      about:
        "Check all backups of the account: whether every chunk of every snapshot is stored, and, by reading packs, whether they are what they should be. Ends with exit code 1 if a problem was found.",
      options: { "--sample <bytes>": "read packs of so many bytes, chosen at random; by default all", ...signing },
      examples: { "keeplight snapshot check --sample 1000000000": "reads a gigabyte of them" },
      item: {
        kind: "`snapshot` or `pack`",
        cid: "content id",
        code: "of the error",
        message: "what is wrong with it",
      },
      result: {
        snapshots: "how many are complete",
        packs: "how many packs were read, and are right",
        bytes: "of those packs",
        notChecked: "how many snapshots of the first format there are, which are not checked",
        problems: "how many problems were found",
      },
    },
    forget: {
      about:
        "Delete snapshots that no rule keeps: of each folder of each machine by itself, in UTC. Or one snapshot, even if it cannot be read. Rules add up. Chunks stay until keeplight prune.",
      arguments: { "[snapshot]": "content id of the one snapshot to delete, without rules" },
      options: {
        "--keep-last <count>": "keep so many of the newest snapshots",
        "--keep-hours <count>": "keep the newest of each of so many hours",
        "--keep-days <count>": "keep the newest of each of so many days",
        "--keep-weeks <count>": "keep the newest of each of so many weeks, which start on Mondays",
        "--keep-months <count>": "keep the newest of each of so many months",
        "--keep-years <count>": "keep the newest of each of so many years",
        "--keep-tag <word>...": "keep snapshots that have this tag",
        "--folder <folder>": "only snapshots of this folder, or of s3://bucket/prefix; the others stay",
        "--machine <name>": "only snapshots of this machine; the others stay",
        ...storage,
        "-y, --yes": "do not ask",
        ...signing,
      },
      writes: "the listing of the account",
      examples: {
        "keeplight forget --keep-last 3 --keep-days 14 --keep-months 12 --yes": "keeps fewer, the older they are",
        "keeplight forget bafy…": "deletes one snapshot",
      },
      item: { ...snapshot, ...isFirstFormat },
      result: { forgotten: "how many snapshots are deleted", "kept?": "how many are kept, by rules" },
    },
    prune: {
      about:
        "Delete packs of chunks that no snapshot needs, in two runs: one marks them, and a run three days later deletes them, unless a backup needs them by then. Packs of which little is needed are repacked: snapshots that need them have other content ids then. All snapshots are read first: if one of them cannot be, nothing is deleted.",
      options: {
        "--grace-days <count>":
          "how long packs are marked before they are deleted: longer than any backup takes; by default 3",
        ...storage,
        ...signing,
      },
      writes: "the listing of the account",
      examples: { "keeplight prune": "run it regularly, such as after keeplight forget" },
      result: {
        kept: "how many packs are kept, those that are marked included",
        marked: "how many packs were marked",
        deleted: "how many packs, marked by an earlier run, were deleted",
        repacked: "how many packs were repacked",
      },
    },
  }),
];
