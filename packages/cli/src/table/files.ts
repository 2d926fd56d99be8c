import { optionTexts } from "./option-texts.ts";
import { type CommandSpec, type Fields, type OptionSpec, signing } from "./spec.ts";

const saved: Fields = {
  cid: "content id",
  path: "where the file is now; `-` for standard output",
  size: "bytes",
  "networkName?": "the name that the network reports, with `--name-from-network`",
};

const outputOptions: readonly OptionSpec[] = [
  { flags: "-o, --output <path>", summary: "write to this path; - for standard output", completes: "file" },
  { flags: "--name-from-network", summary: "write to the name that the network reports, cleaned, in this folder" },
  { flags: "-f, --force", summary: "replace an existing file" },
];

const unverified: OptionSpec = {
  flags: "--unverified",
  summary: "accept any bytes that a gateway sends, without a check of the content id",
};

export const fileCommands: readonly CommandSpec[] = [
  {
    name: "up",
    summary: "upload files and folders",
    details:
      "Prints the content id of each. With -e files are encrypted on this machine before they are sent, and an upload that is interrupted is completed by keeplight resume; standard input, which can be read only once, has to be uploaded again.",
    arguments: [{ name: "path", summary: "file or folder; - for standard input", variadic: true, completes: "file" }],
    options: [
      { flags: "-e, --encrypt", summary: "encrypt, and save the keys on the key nodes" },
      { flags: "--share-to <address>", summary: "share encrypted files with this address", repeats: true },
      {
        flags: "--conditions <file>",
        summary: "JSON file of conditions to open encrypted files by",
        completes: "file",
      },
      { flags: "--name <name>", summary: "name of a single file, or of standard input; by default stdin" },
      { flags: "--wrap", summary: optionTexts["UploadOptions.wrapWithDirectory"] },
      { flags: "--verify", summary: optionTexts["UploadOptions.verifyCid"] },
      { flags: "--recovery <recipient>", summary: optionTexts["RecoveryOptions.recovery"] },
      { flags: "--recovery-to <folder>", summary: "where those entries are written", completes: "folder" },
      ...signing,
    ],
    writes: "files on the network",
    examples: [
      ["keeplight up photo.jpg", "uploads a file that everyone can open"],
      [
        "keeplight up -e --share-to 0x1111111111111111111111111111111111111111 letters",
        "encrypts a folder for oneself and another person",
      ],
      ["tar c site | keeplight up - --name site.tar", "uploads what another command prints"],
    ],
    item: {
      name: "as it is stored",
      cid: "content id",
      size: "bytes as stored, or `null`",
      encrypted: "whether it is encrypted",
      "nodesMissing?": "key nodes without a shard of its key",
    },
    result: {
      count: "how many files and folders were stored",
      "bytes?": "with `--dry-run`: the bytes that would be sent",
      "dataLeft?": "with `--dry-run`: the bytes that the account would have left, if there is an API key",
    },
    load: async () => (await import("../commands/up.ts")).runUp,
  },
  {
    name: "get",
    summary: "download a file as it is stored",
    details: "Every byte is verified against the content id, by which the file is named.",
    arguments: [{ name: "cid", summary: "content id" }],
    options: [...outputOptions, unverified],
    writes: "a file on this machine",
    examples: [["keeplight get bafy… -o photo.jpg", "saves a file"]],
    result: { ...saved, verified: "how it was verified; `false` with `--unverified`" },
    load: async () => (await import("../commands/download.ts")).runGet,
  },
  {
    name: "decrypt",
    summary: "download and decrypt a file",
    details:
      "The key is recovered from three key nodes, or taken from a recovery kit. Nothing is written before the whole file is authenticated.",
    arguments: [{ name: "cid", summary: "content id" }],
    options: [
      ...outputOptions,
      { flags: "--strict", summary: optionTexts["KeyProofOptions.strict"] },
      unverified,
      {
        flags: "--kit <path>",
        summary: "take the key from this recovery kit; no key node is queried",
        completes: "file",
      },
      { flags: "--identity <file>", summary: "file with the age identity that opens the kit", completes: "file" },
      { flags: "--owner <address>", summary: optionTexts["ShardRequestOptions.ownerAddress"] },
      ...signing,
    ],
    writes: "a file on this machine",
    examples: [
      ["keeplight decrypt bafy… -o letter.pdf", "opens a file that you own, or that was shared with you"],
      ["keeplight decrypt bafy… --kit kit.age -o letter.pdf", "opens it without the key nodes"],
    ],
    result: { ...saved, "keyNodes?": "the key nodes whose shards opened it" },
    load: async () => (await import("../commands/download.ts")).runDecrypt,
  },
  {
    name: "ls",
    summary: "list the files of the account",
    options: [{ flags: "-n, --limit <count>", summary: "list at most so many" }],
    examples: [
      ["keeplight ls", "prints a table"],
      ["keeplight ls -q | head -1", "prints the content id of the latest file"],
    ],
    item: {
      id: "of the listing",
      cid: "content id",
      name: "as uploaded, or `null`",
      size: "bytes, or `null`",
      encrypted: "whether it is encrypted, or `null`",
      createdAt: "milliseconds since 1970, or `null`",
    },
    result: { count: "how many files were listed" },
    load: async () => (await import("../commands/files.ts")).runLs,
  },
  {
    name: "pin",
    summary: "keep content that is already on IPFS",
    details:
      "Adds it to the files of the account, without uploading it. Pinning an encrypted file does not share its key.",
    arguments: [{ name: "cid", summary: "content id" }],
    options: [{ flags: "--name <name>", summary: optionTexts["PinOptions.fileName"] }],
    writes: "the listing of the account",
    examples: [["keeplight pin bafy… --name photo.jpg", "keeps a copy of what somebody else has uploaded"]],
    result: { cid: "content id", name: "in the listing, or `null` for the network's own" },
    load: async () => (await import("../commands/files.ts")).runPin,
  },
  {
    name: "rm",
    summary: "delete files of the account",
    details: "Deletes every file of the listing that has one of the content ids. Asks before, unless --yes is set.",
    arguments: [{ name: "cid", summary: "content id, or id of the listing", variadic: true }],
    options: [{ flags: "-y, --yes", summary: "do not ask" }],
    writes: "the listing of the account",
    examples: [["keeplight rm bafy…", "deletes a file"]],
    item: { id: "of the listing", cid: "content id", name: "as uploaded, or `null`" },
    result: { count: "how many files were deleted" },
    load: async () => (await import("../commands/files.ts")).runRm,
  },
  {
    name: "info",
    summary: "show what the network knows of a file",
    arguments: [{ name: "cid", summary: "content id" }],
    examples: [["keeplight info bafy…", "prints name, size, deals, and who may open it"]],
    result: {
      cid: "content id",
      name: "as uploaded, or `null`",
      size: "bytes, or `null`",
      type: "MIME type, or `null`",
      encrypted: "whether it is encrypted, or `null`",
      deals: "deals with storage providers",
      "access?": "of an encrypted file: `owner`, `sharedTo`, `conditions`, `aggregator`",
    },
    load: async () => (await import("../commands/info.ts")).runInfo,
  },
  {
    name: "resume",
    summary: "complete what was interrupted",
    details:
      "Without an id all operations of the journal are completed but payments, oldest first; a payment is completed only by its id, and never paid twice.",
    arguments: [{ name: "id", summary: "of one operation", optional: true }],
    options: [
      { flags: "--list", summary: "list the open operations, and complete none" },
      { flags: "--discard", summary: "remove the operation instead: the keys of files that are stored are lost" },
      { flags: "-y, --yes", summary: "do not ask before that" },
      ...signing,
    ],
    writes: "what the interrupted command would have written",
    examples: [
      ["keeplight resume --list", "lists what is open"],
      ["keeplight resume", "completes all uploads and changes that were interrupted"],
    ],
    item: {
      id: "of the operation",
      kind: "what it does",
      "names?": "files, as they are sent; the order of a payment",
      "cids?": "content ids, as far as they are known",
      "startedAt?": "milliseconds since 1970",
      "outcome?": "`completed`, `failed`, `undone` or `discarded`; absent with `--list` and `--dry-run`",
      "code?": "of the error, if it failed",
      "message?": "why it failed",
      "resume?": "the command that tries again",
    },
    result: { completed: "how many operations were completed", open: "how many are still open" },
    load: async () => (await import("../commands/resume.ts")).runResume,
  },
];
