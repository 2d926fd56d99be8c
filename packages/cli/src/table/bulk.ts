import { optionTexts } from "./option-texts.ts";
import { bucket, commandsOf, paymentResult, signing, storage, type Texts } from "./spec.ts";

const plan = { "<plan>": "folder of the plan" };
const ledger = {
  "--ledger <place>":
    "postgres:// URL of a shared ledger; by default KEEPLIGHT_BULK_LEDGER, or one in the folder of the plan",
};
const connection = {
  "--connection <url>": "redis:// or postgres:// URL of the queue; by default KEEPLIGHT_BULK_CONNECTION",
};
const attempts = { "--attempts <count>": optionTexts["BulkRunOptions.attempts"] };
const workers = { "--workers <count>": optionTexts["BulkRunOptions.workers"] };
const pace = { "--batches-per-minute <count>": optionTexts["BulkRunOptions.batchesPerMinute"] };
const identity = {
  "--identity <file>": "age identity that the keys of encrypted files are sealed to; by default KEEPLIGHT_IDENTITY",
};
const status: Texts = {
  id: "of the plan",
  name: "of the plan",
  state: "`running`, `paused`, `cancelled` or `done`",
  files: "how many files the plan has",
  bytes: "of all files",
  counts: "how many files are `found`, `sent`, `stored`, `saved`, `verified`",
  setAside: "how many files are set aside because of an error",
  filesDone: "how many files are done",
  bytesDone: "of those files",
  skipped: "how many files and folders the plan leaves out, because they could not be read",
};

export const bulkCommands = [
  ...commandsOf(() => import("../commands/bulk.ts"), {
    "bulk plan": {
      about:
        "List a dataset, and what sending it costs. Writes a manifest of all files into the folder of the plan, and sends nothing. A plan that was interrupted is continued by the same command; one that is complete stays as it is, without files that are new since. Ends with exit code 2 if the plan leaves something out. A bucket is read with the credentials of the AWS configuration; it requires the packages @keeplight/s3 and @aws-sdk/client-s3.",
      arguments: { "<source>": "folder, or s3://bucket/prefix; with --manifest the folder its paths are below" },
      options: {
        "--to <folder>": "folder of the plan; by default the source's with .plan, of a bucket one in this folder",
        "-e, --encrypt": optionTexts["PlanBulkOptions.encrypted"],
        "--one-key-per-batch": optionTexts["PlanBulkOptions.oneKeyPerBatch"],
        "--manifest <file>": "take the files from JSON lines: path, size, mtime, sha256",
        "--name <name>": optionTexts["PlanBulkOptions.name"],
        "--network <name>": "chain to compute the price for",
        "--token <token>": optionTexts["PriceOptions.token"],
        ...bucket,
      },
      examples: {
        "keeplight bulk plan /data/photos": "lists the folder into /data/photos.plan",
        "keeplight bulk plan s3://photos/2026 --region eu-central-1": "lists objects of a bucket into 2026.plan",
        "keeplight bulk plan /data --manifest files.jsonl --to plan -e": "plans the files of a list, encrypted",
      },
      item: { path: "of what could not be read or must not be sent, and is left out", code: "of the error" },
      result: {
        id: "of the plan",
        folder: "of the plan",
        files: "how many files it has",
        bytes: "of all files",
        batches: "how many requests the upload node receives",
        keyNodeRequests: "how many requests the key nodes receive",
        derivationMs: "how long this machine derives keys, in milliseconds",
        price: "`amount` in the token's smallest unit, `token`, `decimals`, `usd`",
        isNew: "`false` if the plan was complete before: files that are new since are not in it",
        "plannedAt?": "when its files were listed, in milliseconds since 1970",
      },
    },
    "bulk run": {
      about:
        "Send the files of a plan from this machine. What is done is not done again: a run that was interrupted is continued by the same command. Files that cannot be sent are set aside, and do not stop the others. Ends with exit code 2 unless all files are done.",
      arguments: plan,
      options: { ...ledger, ...identity, ...workers, ...attempts, ...pace, ...storage, ...bucket, ...signing },
      writes: "files on the network",
      examples: { "keeplight bulk run /data/photos.plan": "sends what is left of a plan" },
      result: status,
    },
  }),
  ...commandsOf(() => import("../commands/pay.ts"), {
    "bulk pay": {
      about:
        "Pay for the storage of a plan, once. Shows what it costs and asks before anything is signed, unless --yes is set. Nothing above the stated amount is paid; if it is paid in the chain's own coin, up to 2 % more, as its price may change meanwhile. The same command continues a payment that was interrupted, and reports one that was made. The payment is in the journal of this user on this machine, and nobody else can pay for the plan then.",
      arguments: plan,
      options: {
        ...ledger,
        "--network <name>": "chain to pay on",
        "--token <token>": "what to pay with",
        "--max-fee <units>": optionTexts["RunningOptions.maxFee"],
        "-y, --yes": "do not ask",
        ...signing,
      },
      writes: "a payment on a chain",
      examples: { "keeplight bulk pay /data/photos.plan --token usdc": "pays for all files of the plan" },
      result: paymentResult,
    },
  }),
  ...commandsOf(() => import("../commands/bulk.ts"), {
    "bulk status": {
      about:
        "Show how far a plan is. While another process runs the plan with a ledger in a folder, shows what that process has written some seconds ago, and how long ago; --set-aside has to wait for its end.",
      arguments: plan,
      options: {
        ...ledger,
        "--set-aside": "list the files that are set aside, with their errors",
        "--metrics": "print it for Prometheus",
      },
      examples: { "keeplight bulk status plan --set-aside": "lists what could not be sent" },
      item: { path: "below the source", code: "of the error", message: "why it is set aside" },
      result: {
        ...status,
        "writtenAt?":
          "while another process uses the ledger: when that has written all this, in milliseconds since 1970",
        "filesPerSecond?": "then: how many files were done in a second, over the last minute",
        "bytesPerSecond?": "of those files",
        "leftOut?": "`path` and `code` of the first 20 that the plan leaves out",
      },
    },
    "bulk retry": {
      about:
        "Make files that are set aside ready to be sent again. Files with the error JOURNAL_DAMAGED may be stored, under keys that are in a damaged entry of the journal. They continue once the entry is put back from a copy. With --encrypt-again they are sent again under new keys: what is stored under the lost keys stays stored, and nobody can open it.",
      arguments: plan,
      options: {
        ...ledger,
        "--encrypt-again": "encrypt files whose keys are in a damaged entry of the journal with new keys",
      },
      writes: "the ledger of the plan",
      examples: { "keeplight bulk retry plan && keeplight bulk run plan": "sends them again" },
      result: { files: "how many files that are" },
    },
    "bulk pause": {
      about:
        "Let no further batch of a plan start. The plan continues with keeplight bulk run or keeplight bulk enqueue.",
      arguments: plan,
      options: ledger,
      writes: "the ledger of the plan",
      examples: { "keeplight bulk pause plan --ledger postgres://db/keeplight": "pauses it on all machines" },
      result: status,
    },
    "bulk cancel": {
      about: "End a plan for good. What is stored stays stored.",
      arguments: plan,
      options: ledger,
      writes: "the ledger of the plan",
      examples: { "keeplight bulk cancel plan": "ends it" },
      result: status,
    },
    "bulk enqueue": {
      about:
        "Add the batches of a plan to a queue, for any number of workers. The queue is BullMQ's, on Redis or PostgreSQL, and the ledger is in PostgreSQL. A batch is in the queue once, however often this is run.",
      arguments: plan,
      options: { ...connection, ...ledger, ...attempts },
      writes: "the queue and the ledger",
      examples: {
        "keeplight bulk enqueue plan --connection redis://queue --ledger postgres://db/keeplight": "starts a plan",
      },
      result: { batches: "how many batches are to be done" },
    },
    "bulk worker": {
      about:
        "Send the batches of a queue until it is interrupted. Start as many as you like, on as many machines as you like: a batch whose worker is killed is continued by another one. What every batch would fail by pauses the plan. Ends with exit code 2 if it has set files aside.",
      options: {
        ...connection,
        ...ledger,
        "--root <folder>":
          "where the files are on this machine, or s3://bucket/prefix; by default where the plan has found them",
        ...bucket,
        ...identity,
        ...workers,
        ...pace,
        ...storage,
        ...signing,
      },
      examples: { "keeplight bulk worker --workers 8": "sends 8 batches at once" },
      result: { ready: "`true`: it waits for batches" },
    },
    "bulk verify": {
      about:
        "Read the stored files of a plan back. By blocks that are verified against their content ids, so that no gateway is trusted. No key is required. Ends with exit code 2 if files are lost or could not be read.",
      arguments: plan,
      options: { ...ledger, "--sample <percent>": "read so many of a hundred files; at least one" },
      examples: { "keeplight bulk verify plan --sample 1": "reads one of a hundred files back" },
      item: { path: "below the source", code: "`FILE_LOST`, or of the error for which it could not be read" },
      result: {
        verified: "how many files were read back",
        lost: "how many files the network does not have any more",
        unread: "how many files could not be read for another reason",
      },
    },
  }),
];
