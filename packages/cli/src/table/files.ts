import { optionTexts } from "./option-texts.ts";
import { commandsOf, filters, signing, storage, type Texts } from "./spec.ts";

const saved: Texts = {
  cid: "content id",
  path: "where the file is now; `-` for standard output",
  size: "bytes",
  "networkName?": "the name that the network reports, with `--name-from-network`",
};

const outputOptions: Texts = {
  "-o, --output <path>": "write to this path; - for standard output",
  "--name-from-network": "write to the name that the network reports, cleaned, in this folder",
  "-f, --force": "replace an existing file",
};

const unverified = { "--unverified": "accept any bytes that a gateway sends, without a check of the content id" };

export const fileCommands = [
  ...commandsOf(() => import("../commands/up.ts"), {
    up: {
      about:
        "Upload files and folders. Prints the content id of each. Of a folder, files that match its .keeplightignore (in the syntax of .gitignore) are left out; those of folders in it are not read. Folders with a plan, a journal, the state of backups, logins or a keystore are left out, too, with a warning, as keys may be in them. With -e files are encrypted on this machine before they are sent, and added to the drive of the account, which only the account can read: the network stores them under random names, and a file whose name is taken in its folder becomes a new version of that file. An encrypted upload that is interrupted is completed by keeplight resume; standard input, which can be read only once, has to be uploaded again. With --pay-per-upload one file is paid for by itself (x402), once, without an API key: states the price and asks before anything is signed; with --yes, or without a terminal, it pays up to the limit.",
      arguments: { "<path...>": "file or folder; - for standard input" },
      options: {
        "-e, --encrypt": "encrypt, and save the keys on the key nodes",
        "--to <folder>": "folder of the drive for encrypted files, created if it is not there; by default the top",
        "--visible-names":
          "store encrypted files under their names, which everyone sees, and without the drive; of a single folder also the list of its paths, encrypted, which is printed first",
        "--share-to <address>...": "share encrypted files with this address",
        "--message <file>":
          "write the names for those of --share-to to a new file, one line each, signed; their drives read it, and nobody else's does; if it cannot be written after the upload, they are printed, with exit code 2",
        "--conditions <file>": "JSON file of conditions to open encrypted files by",
        "--name <name>": "name of the one file or folder that is uploaded, or of standard input; by default stdin",
        ...filters,
        "--wrap": optionTexts["UploadOptions.wrapWithDirectory"],
        "--verify": optionTexts["UploadOptions.verifyCid"],
        ...storage,
        "--check-room": optionTexts["StorageOptions.checkRoom"],
        "--pay-per-upload <limit>": "pay for one file by itself, at most so much, in USDC, such as 2.50",
        "--network <name>": "chain to pay on, with --pay-per-upload; default base",
        "-y, --yes": "do not ask before paying",
        "--recovery <recipient>": optionTexts["RecoveryOptions.recovery"],
        "--recovery-to <folder>": "where those entries are written, with --recovery; by default the current folder",
        ...signing,
      },
      writes: "files on the network",
      examples: {
        "keeplight up photo.jpg": "uploads a file that everyone can open",
        "keeplight up -e --to papers/2026 tax.pdf": "encrypts a file, and adds it to a folder of the drive",
        "keeplight up -e --share-to 0x1111111111111111111111111111111111111111 letters":
          "encrypts a folder for oneself and another person",
        "keeplight up --pay-per-upload 0.25 photo.jpg": "stores a file for a year, for at most a quarter of a dollar",
        "tar c site | keeplight up - --name site.tar": "uploads what another command prints",
      },
      item: {
        name: "as it is stored; of an encrypted file its path in the drive, unless `--visible-names` is set",
        cid: "content id",
        size: "bytes as stored, or `null`",
        encrypted: "whether it is encrypted",
        "storage?": "storage class, with `--storage`",
        "receipt?": "with `--pay-per-upload`: what was paid for, and how; renewing requires it",
        "nodesMissing?": "key nodes without a shard of its key",
      },
      result: {
        count: "how many files and folders were stored",
        "bytes?": "with `--dry-run`: the bytes that would be sent",
        "dataLeft?": "with `--dry-run`: the bytes that the account would have left, if there is an API key",
        "price?": "with `--dry-run` and `--pay-per-upload`: the price, in the smallest unit of USDC",
      },
    },
  }),
  ...commandsOf(() => import("../commands/download.ts"), {
    get: {
      about:
        "Download a file as it is stored, or with -r a folder with all that is in it. Every byte is verified against the content id, by which the file is named. With -r encrypted folders are decrypted: one of the drive by its path there, another by the content id of its list, as up prints it. Files that are there with the right bytes are not fetched again, so the same command continues one that was interrupted; those that were fetched with --unverified are checked, or fetched again without it. Paths that some system cannot write, such as two that differ in case only, are refused before anything is written.",
      arguments: { "<cid>": "content id, <cid>/path or ipfs://<cid>/path; with -r also a path in the drive" },
      options: {
        "-r, --recursive": "store a folder, with all that is in it, in the folder of --output",
        ...outputOptions,
        ...filters,
        "--safe-names": "write paths that some system cannot write under others, with _ and numbers",
        ...unverified,
        ...signing,
      },
      writes: "files on this machine",
      examples: {
        "keeplight get bafy… -o photo.jpg": "saves a file",
        "keeplight get -r bafy…/photos -o photos --exclude '*.raw'": "stores a folder without some of its files",
        "keeplight get -r papers/2026": "decrypts a folder of the drive into the folder 2026",
      },
      item: {
        path: "of a file, below the folder",
        "cid?": "content id",
        "size?": "bytes, if it was written",
        "code?": "of the error, if it could not be fetched",
        "reason?": "why it is refused",
      },
      result: {
        ...saved,
        cid: "content id; `null` of a folder of the drive",
        size: "bytes; with `--dry-run` `null` if it is not known",
        "verified?": "of a file: how it was verified; `false` with `--unverified` and `--dry-run`",
        "files?": "with `-r`: how many files it has",
        "written?": "with `-r`: how many were fetched; the others were there",
      },
    },
    decrypt: {
      about:
        "Download and decrypt a file. The key is recovered from three key nodes, or taken from a recovery kit. Nothing is written before the whole file is authenticated.",
      arguments: { "<cid>": "content id" },
      options: {
        ...outputOptions,
        "--strict": optionTexts["KeyProofOptions.strict"],
        ...unverified,
        "--kit <path>": "take the key from this recovery kit; no key node is queried",
        "--identity <file>": "file with the age identity that opens the kit",
        "--owner <address>": optionTexts["ShardRequestOptions.ownerAddress"],
        ...signing,
      },
      writes: "a file on this machine",
      examples: {
        "keeplight decrypt bafy… -o letter.pdf": "opens a file that you own, or that was shared with you",
        "keeplight decrypt bafy… --kit kit.age -o letter.pdf": "opens it without the key nodes",
      },
      result: { ...saved, "keyNodes?": "the key nodes whose shards opened it" },
    },
  }),
  ...commandsOf(() => import("../commands/files.ts"), {
    ls: {
      about:
        "List the files of the account, or what is in a public folder. Files of the drive are shown by their paths there, if the key that signs is at hand: nobody is asked for a password for it, and nothing is signed for an account without a drive.",
      arguments: { "[cid]": "content id of a folder that is not encrypted, <cid>/path or ipfs://<cid>/path" },
      options: {
        "--all": "list the files that the drive itself is stored in, too",
        "-n, --limit <count>": "list at most so many",
        "--storage <class>": optionTexts["ListFilesOptions.storage"],
      },
      examples: {
        "keeplight ls": "prints a table",
        "keeplight ls -q | head -1": "prints the content id of the latest file",
        "keeplight ls bafy…/photos": "lists a folder on the network",
      },
      item: {
        cid: "content id",
        name: "as uploaded, or `null`; of a file of the drive a random one",
        size: "bytes, or `null`",
        "type?": "in a folder: `file`, `folder` or `other`",
        "id?": "of the listing; absent in a folder, as all that follows",
        "path?": "in the drive, or `null`: it is in no drive, or the names are hidden",
        "encrypted?": "whether it is encrypted, or `null`",
        "createdAt?": "milliseconds since 1970, or `null`",
      },
      result: { count: "how many files and folders were listed" },
    },
    pin: {
      about:
        "Keep content that is already on IPFS. Adds it to the files of the account, without uploading it. Pinning an encrypted file does not share its key.",
      arguments: { "<cid>": "content id" },
      options: { "--name <name>": optionTexts["PinOptions.fileName"] },
      writes: "the listing of the account",
      examples: { "keeplight pin bafy… --name photo.jpg": "keeps a copy of what somebody else has uploaded" },
      result: { cid: "content id", name: "in the listing, or `null` for the network's own" },
    },
    rm: {
      about:
        "Delete files of the account. Deletes every file of the listing that has one of the content ids. Files that the drive itself is stored in are refused: without them the names of all others are lost. Asks before, unless --yes is set.",
      arguments: { "<cid...>": "content id, or id of the listing" },
      options: {
        "--storage <class>": optionTexts["DeleteFileOptions.storage"],
        "-y, --yes": "do not ask",
      },
      writes: "the listing of the account",
      examples: { "keeplight rm bafy…": "deletes a file" },
      item: { id: "of the listing", cid: "content id", name: "as uploaded, or `null`" },
      result: { count: "how many files were deleted" },
    },
    info: {
      about: "Show what the network knows of a file.",
      arguments: { "<cid>": "content id" },
      examples: { "keeplight info bafy…": "prints name, size, deals, and who may open it" },
      result: {
        cid: "content id",
        name: "as uploaded, or `null`",
        size: "bytes, or `null`",
        type: "MIME type, or `null`",
        encrypted: "whether it is encrypted, or `null`",
        deals: "deals with storage providers",
        "access?": "of an encrypted file: `owner`, `sharedTo`, `conditions`, `aggregator`",
      },
    },
  }),
  ...commandsOf(() => import("../commands/resume.ts"), {
    resume: {
      about:
        "Complete what was interrupted. Without an id all operations of the journal are completed but payments, oldest first; a payment is completed only by its id, and never paid twice. Files of encrypted uploads get their places in the drive, and what could not be stored of the drive is stored.",
      arguments: { "[id]": "of one operation" },
      options: {
        "--list": "list the open operations, and complete none",
        "--discard":
          "remove the operation instead: the keys of files that an upload has stored are lost, a payment that was sent may still be made, and key nodes that have not carried out a change never will",
        "-y, --yes": "do not ask before that",
        ...signing,
      },
      writes: "what the interrupted command would have written",
      examples: {
        "keeplight resume --list": "lists what is open",
        "keeplight resume": "completes all uploads and changes that were interrupted",
      },
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
        "receipt?": "of an upload that was paid for by itself",
      },
      result: { completed: "how many operations were completed", open: "how many are still open" },
    },
  }),
];
