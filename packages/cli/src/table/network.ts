import { optionTexts } from "./option-texts.ts";
import { type CommandSpec, type OptionSpec, paymentResult, signing, tokens } from "./spec.ts";

const price: readonly OptionSpec[] = [
  { flags: "--network <name>", summary: "chain to pay on; default polygon" },
  { flags: "--token <token>", summary: "usdc, usdt, dai or native, the coin of the chain", completes: tokens },
];
const keyName = { name: "name", summary: "as names list shows it" };

export const networkCommands: readonly CommandSpec[] = [
  {
    name: "names list",
    summary: "list the names (IPNS) of the account",
    examples: [["keeplight names list", "prints each name and what it points to"]],
    item: {
      name: "in the account",
      ipns: "the public name: <gateway>/ipns/<ipns>",
      cid: "what it points to, or `null`",
    },
    result: { count: "how many names there are" },
    load: async () => (await import("../commands/names.ts")).runNamesList,
  },
  {
    name: "names create",
    summary: "create a name",
    writes: "a name of the account",
    examples: [["keeplight names create", "prints the new name"]],
    result: { "name?": "in the account", "ipns?": "the public name; absent with `--dry-run`" },
    load: async () => (await import("../commands/names.ts")).runNamesCreate,
  },
  {
    name: "names publish",
    summary: "point a name to a content id",
    arguments: [keyName, { name: "cid", summary: "content id" }],
    writes: "what the name points to",
    examples: [["keeplight names publish 6cda… bafy…", "publishes a new version under the same name"]],
    result: { name: "in the account", "ipns?": "the public name; absent with `--dry-run`", cid: "what it points to" },
    load: async () => (await import("../commands/names.ts")).runNamesPublish,
  },
  {
    name: "names remove",
    summary: "remove a name",
    details: "What was published under it can never be changed again.",
    arguments: [keyName],
    options: [{ flags: "-y, --yes", summary: "do not ask" }],
    writes: "the names of the account",
    examples: [["keeplight names remove 6cda…", "removes it after asking"]],
    result: { name: "in the account" },
    load: async () => (await import("../commands/names.ts")).runNamesRemove,
  },
  {
    name: "proof",
    summary: "fetch and verify the storage proof of a file, and draw it",
    arguments: [{ name: "cid", summary: "content id" }],
    options: [{ flags: "--save <file>", summary: "save the proof as JSON", completes: "file" }],
    writes: "with --save, a file on this machine",
    examples: [["keeplight proof bafy…", "draws the paths from the file to the root of each deal"]],
    result: {
      cid: "content id",
      pieceCid: "of the file's data",
      pieceSize: "bytes",
      deals: "each deal, with the proved location of the data",
    },
    load: async () => (await import("../commands/info.ts")).runProof,
  },
  {
    name: "quote",
    summary: "compute what storing files would take and cost",
    arguments: [{ name: "path", summary: "file or folder", variadic: true, completes: "file" }],
    options: price,
    examples: [["keeplight quote photos --token usdc", "prints size, price, and what the account would have left"]],
    result: {
      files: "how many there are",
      totalSize: "bytes",
      "usage?": "of the account: `dataLimit`, `dataUsed`, `dataLeft`; if there is an API key",
      "price?": "`token`, `amount` in its smallest unit, `decimals`, `usd`; with --network or --token",
    },
    load: async () => (await import("../commands/pay.ts")).runQuote,
  },
  {
    name: "pay",
    summary: "pay for storage",
    details:
      "Shows what it costs and asks before anything is signed, unless --yes is set. An interrupted payment is completed by keeplight resume, and never paid twice.",
    options: [
      { flags: "--size <bytes>", summary: optionTexts["AmountOptions.size"] },
      { flags: "--amount <units>", summary: optionTexts["AmountOptions.amount"] },
      ...price,
      { flags: "--max-fee <units>", summary: optionTexts["FeeOptions.maxFee"] },
      { flags: "--order <id>", summary: optionTexts["PaidOrderOptions.orderId"] },
      { flags: "--search-blocks <count>", summary: optionTexts["PayOptions.searchBlocks"] },
      { flags: "-y, --yes", summary: "do not ask" },
      ...signing,
    ],
    writes: "a payment on a chain",
    examples: [
      ["keeplight pay --size 5000000000 --token usdc --dry-run", "prints what it would cost"],
      ["keeplight pay --size 5000000000 --token usdc --order 2025-01", "pays once"],
    ],
    result: paymentResult,
    load: async () => (await import("../commands/pay.ts")).runPay,
  },
  {
    name: "devnet",
    summary: "run the whole network on this machine",
    details: "Runs until Ctrl-C, which is its normal end. The environment that it prints leads other commands to it.",
    options: [
      { flags: "--port <port>", summary: optionTexts["DevnetOptions.port"] },
      { flags: "--chain", summary: "run a chain for payments, too; requires anvil" },
      { flags: "--show-keys", summary: "print the private keys of its random accounts" },
      { flags: "--data <folder>", summary: "keep what is uploaded in this folder", completes: "folder" },
      { flags: "--config <file>", summary: "write a configuration for other commands to this file", completes: "file" },
    ],
    examples: [
      ["keeplight devnet --config devnet.json", "then, in another terminal: export KEEPLIGHT_CONFIG=devnet.json"],
    ],
    result: {
      endpoints: "base URLs of the services",
      accounts: "random accounts, which have funds with --chain: `address`, and `privateKey` with --show-keys",
      "network?": "row of the chain",
    },
    load: async () => (await import("../commands/devnet.ts")).runDevnet,
  },
  {
    name: "completion",
    summary: "print the completion script of a shell",
    arguments: [
      { name: "shell", summary: "bash, zsh, fish or powershell", completes: ["bash", "zsh", "fish", "powershell"] },
    ],
    examples: [
      ["keeplight completion bash >> ~/.bashrc", "in bash"],
      ["keeplight completion zsh > ~/.zfunc/_keeplight", "in zsh, with this folder in fpath"],
      ["keeplight completion fish > ~/.config/fish/completions/keeplight.fish", "in fish"],
      ["keeplight completion powershell >> $PROFILE", "in PowerShell"],
    ],
    result: { script: "for the shell" },
    load: async () => (await import("../commands/completion.ts")).runCompletion,
  },
];
