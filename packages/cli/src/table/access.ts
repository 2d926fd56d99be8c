import { commandsOf, signing } from "./spec.ts";

const cid = { "<cid>": "content id of an encrypted file" };
const addresses = { "<address...>": "EVM or base58 address" };
const conditionsFile = { "<file>": "JSON: a list of conditions, or { conditions, aggregator, chainType }" };
const nodes = "the key nodes that carried it out";

export const accessCommands = [
  ...commandsOf(() => import("../commands/access.ts"), {
    share: {
      about: "Let others open an encrypted file.",
      arguments: { ...cid, ...addresses },
      options: signing,
      writes: "who may open the file",
      examples: { "keeplight share bafy… 0x1111111111111111111111111111111111111111": "shares a file that you own" },
      result: { cid: "content id", addresses: "whom it is shared with now", nodes },
    },
    revoke: {
      about:
        "Take back that others may open an encrypted file. Somebody who has opened the file already may have kept its key.",
      arguments: { ...cid, ...addresses },
      options: signing,
      writes: "who may open the file",
      examples: { "keeplight revoke bafy… 0x1111111111111111111111111111111111111111": "ends what share has started" },
      result: { cid: "content id", addresses: "who may no longer open it", nodes },
    },
    transfer: {
      about:
        "Make another address the owner of an encrypted file. Asks for the last four characters of the address, unless --confirm has them: only the new owner could give the file back.",
      arguments: { ...cid, "<address>": "of the new owner" },
      options: {
        "--confirm <four>": "last four characters of the address, for scripts",
        "--keep-shares": "keep whom the file is shared with",
        ...signing,
      },
      writes: "the owner of the file",
      examples: {
        "keeplight transfer bafy… 0x1111111111111111111111111111111111111111 --confirm 1111": "hands over a file",
      },
      result: { cid: "content id", owner: "address of the new owner", nodes },
    },
    delegate: {
      about:
        "Let other accounts open all of your encrypted files. Only the account of the login or the API key signs. A delegate can open every encrypted file that you own, now and later. The addresses replace all former delegates; with --revoke nobody is left. Who has opened a file may have kept its key. The network documents how to delegate, not how to revoke: check with the delegate's account. Asks before, unless --yes or --revoke is set.",
      arguments: { "[address...]": "EVM or base58 address" },
      options: { "--revoke": "leave no delegates", "-y, --yes": "do not ask", ...signing },
      writes: "who may open all of your encrypted files",
      examples: {
        "keeplight delegate 0x1111111111111111111111111111111111111111": "gives one account access to everything",
        "keeplight delegate --revoke": "takes it back",
      },
      result: { delegates: "who may open all files now; empty with `--revoke`", nodes },
    },
    "conditions explain": {
      about: "Explain conditions in plain English.",
      arguments: conditionsFile,
      examples: { "keeplight conditions explain members.json": "prints who would be granted access; sends nothing" },
      result: { explanation: "in plain English" },
    },
    "conditions try": {
      about: "Evaluate conditions for an address, before they are set.",
      arguments: { ...conditionsFile, "<address>": "of who would open the file" },
      options: { "--rpc <chain=url>...": "JSON-RPC URL of a chain that the conditions name" },
      examples: {
        "keeplight conditions try members.json 0x1111111111111111111111111111111111111111 --rpc Polygon=https://polygon-rpc.com":
          "prints whether that address would be granted access, and why",
      },
      result: {
        allowed: "`true`, `false`, or `null` if it is unknown",
        explanation: "in plain English",
        conditions: "the result of each",
      },
    },
    "conditions set": {
      about: "Set the conditions by which others may open a file.",
      arguments: { ...cid, ...conditionsFile },
      options: signing,
      writes: "who may open the file",
      examples: { "keeplight conditions set bafy… members.json": "replaces the conditions of a file that you own" },
      result: { cid: "content id", explanation: "in plain English", nodes },
    },
  }),
  ...commandsOf(() => import("../commands/key-health.ts"), {
    health: {
      about: "Check how the key nodes keep the key of a file.",
      arguments: cid,
      options: signing,
      examples: {
        "keeplight health bafy…": "prints which of the five nodes hold a shard, and whether the shards agree",
      },
      result: {
        cid: "content id",
        healthy:
          "whether all five nodes hold a shard and all of them agree; a share or revoke that reached some nodes only does not show",
        key: "`recoverable`, `unchecked`, `in doubt` or `unrecoverable`",
        sharing: "`same`, `different` or `unknown`",
        "access?": "who may open the file",
        nodes: "of each key node: `node`, `state`, `agrees`, `failure`",
      },
    },
    repair: {
      about: "Replace missing and wrong shards of a key.",
      arguments: cid,
      options: signing,
      writes: "shards on the key nodes that lack a right one",
      examples: { "keeplight repair bafy…": "makes new shards from three good ones" },
      result: {
        cid: "content id",
        "sharedTo?": "addresses that the new shards are shared to",
        nodes: "of each key node: `node`, `done`, `failure`",
      },
    },
  }),
  ...commandsOf(() => import("../commands/kit.ts"), {
    "kit make": {
      about:
        "Make a recovery kit: one age file with the keys of your files. Without content ids it holds all encrypted files of the account. An existing file is never replaced: if one appears meanwhile, the kit is saved beside it.",
      arguments: { "<file>": "path of the new kit", "[cid...]": "content ids of files" },
      options: {
        "--recipient <age1…>": "who can open it; otherwise a passphrase can, from KEEPLIGHT_PASSWORD or typed",
        ...signing,
      },
      writes: "a file on this machine",
      examples: {
        "keeplight kit make kit.age --recipient age1…":
          "opens with the identity of this recipient, and with nothing else",
      },
      result: {
        path: "of the kit",
        files: "how many keys it holds",
        failures: "files whose key could not be recovered",
      },
    },
    "kit open": {
      about:
        "List the files of a recovery kit. Opens with KEEPLIGHT_IDENTITY, KEEPLIGHT_PASSWORD or --identity, or asks. Names and sizes are unverified: whoever knows the recipient can add to a kit. Warns about files that could not be read, and exits with 1.",
      arguments: { "<path>": "kit, or folder of entries that uploads have added" },
      options: { "--identity <file>": "file with the age identity" },
      examples: { "keeplight kit open kit.age": "prints the files; keys are never printed" },
      item: { cid: "content id", name: "as uploaded, unverified, or `null`", size: "bytes, unverified, or `null`" },
      result: { count: "how many files it has", unread: "files of the kit that could not be read to their ends" },
    },
  }),
];
