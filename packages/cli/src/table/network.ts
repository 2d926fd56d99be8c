import { optionTexts } from "./option-texts.ts";
import { commandsOf, paymentResult, signing, type Texts } from "./spec.ts";

const price: Texts = {
  "--network <name>": "chain to pay on; default polygon",
  "--token <token>": "usdc, usdt, dai or native, the coin of the chain",
};
const keyName = { "<name>": "as names list shows it" };

export const networkCommands = [
  ...commandsOf(() => import("../commands/names.ts"), {
    "names list": {
      about: "List the names (IPNS) of the account.",
      examples: { "keeplight names list": "prints each name and what it points to" },
      item: {
        name: "in the account",
        ipns: "the public name: <gateway>/ipns/<ipns>",
        cid: "what it points to, or `null`",
      },
      result: { count: "how many names there are" },
    },
    "names create": {
      about: "Create a name.",
      writes: "a name of the account",
      examples: { "keeplight names create": "prints the new name" },
      result: { "name?": "in the account", "ipns?": "the public name; absent with `--dry-run`" },
    },
    "names publish": {
      about: "Point a name to a content id.",
      arguments: { ...keyName, "<cid>": "content id" },
      writes: "what the name points to",
      examples: { "keeplight names publish 6cda… bafy…": "publishes a new version under the same name" },
      result: { name: "in the account", "ipns?": "the public name; absent with `--dry-run`", cid: "what it points to" },
    },
    "names remove": {
      about: "Remove a name. What was published under it can never be changed again.",
      arguments: keyName,
      options: { "-y, --yes": "do not ask" },
      writes: "the names of the account",
      examples: { "keeplight names remove 6cda…": "removes it after asking" },
      result: { name: "in the account" },
    },
  }),
  ...commandsOf(() => import("../commands/proof.ts"), {
    proof: {
      about: "Fetch the storage proof of a file, verify its paths, and draw them.",
      arguments: { "<cid>": "content id" },
      options: { "--save <file>": "save the proof as JSON" },
      writes: "with --save, a file on this machine",
      examples: { "keeplight proof bafy…": "draws the paths from the piece to the root of each deal" },
      result: {
        cid: "content id",
        pieceCid: "of the file's data, as the network says",
        pieceSize: "bytes",
        deals: "each deal that the network reports, with the proved location of the piece in its aggregate",
      },
    },
  }),
  ...commandsOf(() => import("../commands/pay.ts"), {
    quote: {
      about: "Compute what storing files would take and cost.",
      arguments: { "<path...>": "file or folder" },
      options: price,
      examples: { "keeplight quote photos --token usdc": "prints size, price, and what the account would have left" },
      result: {
        files: "how many there are",
        totalSize: "bytes",
        "usage?": "of the account: `dataLimit`, `dataUsed`, `dataLeft`; if there is an API key",
        "price?": "`token`, `amount` in its smallest unit, `decimals`, `usd`; with --network or --token",
      },
    },
    pay: {
      about:
        "Pay for storage. Shows what it costs and asks before anything is signed, unless --yes is set. Nothing above the stated amount is paid; for a size that is paid in the chain's own coin, up to 2 % more, as its price may change meanwhile. An interrupted payment is completed by keeplight resume, and never paid twice.",
      options: {
        "--size <bytes>": optionTexts["AmountOptions.size"],
        "--amount <units>": optionTexts["AmountOptions.amount"],
        ...price,
        "--max-fee <units>": optionTexts["RunningOptions.maxFee"],
        "--order <id>": optionTexts["PaidOrderOptions.orderId"],
        "--search-blocks <count>": optionTexts["PayOptions.searchBlocks"],
        "-y, --yes": "do not ask",
        ...signing,
      },
      writes: "a payment on a chain",
      examples: {
        "keeplight pay --size 5000000000 --token usdc --dry-run": "prints what it would cost",
        "keeplight pay --size 5000000000 --token usdc --order 2025-01": "pays once",
      },
      result: paymentResult,
    },
  }),
  ...commandsOf(() => import("../commands/devnet.ts"), {
    devnet: {
      about:
        "Run the whole network on this machine. Runs until Ctrl-C, which is its normal end. The environment that it prints leads other commands to it.",
      options: {
        "--port <port>": optionTexts["DevnetOptions.port"],
        "--host <host>": optionTexts["DevnetOptions.host"],
        "--public-host <host>": optionTexts["DevnetOptions.publicHost"],
        "--chain": "run a chain for payments, too; requires anvil",
        "--fixed-accounts": "the same accounts and API keys at each start; everybody knows their private keys",
        "--show-keys": "print the private keys of its accounts",
        "--data <folder>": "keep the whole network in this folder: content, accounts, keys, listings, names",
        "--config <file>": "write a configuration for other commands to this file",
      },
      examples: {
        "keeplight devnet --config devnet.json": "then, in another terminal: export KEEPLIGHT_CONFIG=devnet.json",
        "keeplight devnet --data network --port 8080 --fixed-accounts": "the same network at each start",
      },
      result: {
        endpoints: "base URLs of the services",
        control: "base URL of the control service",
        accounts:
          "accounts, which have funds with --chain: `address`, `apiKey` with --fixed-accounts, `privateKey` with --show-keys",
        "network?": "row of the chain",
      },
    },
  }),
  ...commandsOf(() => import("../commands/completion.ts"), {
    completion: {
      about: "Print the completion script of a shell.",
      arguments: { "<shell>": "bash, zsh, fish or powershell" },
      examples: {
        "keeplight completion bash >> ~/.bashrc": "in bash",
        "keeplight completion zsh > ~/.zfunc/_keeplight": "in zsh, with this folder in fpath",
        "keeplight completion fish > ~/.config/fish/completions/keeplight.fish": "in fish",
        "keeplight completion powershell >> $PROFILE": "in PowerShell",
      },
      result: { script: "for the shell" },
    },
  }),
];
