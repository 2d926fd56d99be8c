/** What holds for every command: for the page and for the manual. */
export const conventions: readonly { title: string; paragraphs: readonly string[] }[] = [
  {
    title: "Output",
    paragraphs: [
      "Results go to standard output; bars, messages and questions to standard error. Colours and bars appear on a terminal only; `NO_COLOR` turns colours off. `--quiet` prints the bare result, such as one content id per line.",
      "Names and messages from the network are data: control characters in them are replaced before they are printed. `get` and `decrypt` name files by their content id, unless `--output` or `--name-from-network` is set; a name from the network is cleaned, and never leaves the folder.",
    ],
  },
  {
    title: "Secrets",
    paragraphs: [
      "No secret is an argument, and none is in a configuration file. What signs is the first of: `--private-key-stdin`, `KEEPLIGHT_SIGNER_COMMAND`, `KEEPLIGHT_PRIVATE_KEY`, `KEEPLIGHT_KEYSTORE` with its password, and the login. `keeplight login` keeps secrets in the keyring of the operating system if `@napi-rs/keyring` is installed beside @keeplight/cli, or else sealed by a password in the folder of the state. Child processes do not inherit the secrets of the environment.",
      "The signer command is run by the shell for each signature. It receives one JSON-RPC request (EIP-1193) on standard input, `eth_accounts` or `personal_sign`, for payments also what a wallet receives, and prints one JSON-RPC response.",
    ],
  },
  {
    title: "Interruption",
    paragraphs: [
      "Encrypted uploads, changes on the key nodes and payments are recorded in a journal in the folder of the state (`$XDG_STATE_HOME/keeplight`, by default `~/.local/state/keeplight`; mode 0700). If one of them is interrupted, by Ctrl-C, a lost connection or a power cut, `keeplight resume` completes it. A second Ctrl-C ends the process at once; that loses nothing either.",
    ],
  },
  {
    title: "Configuration",
    paragraphs: [
      "`$XDG_CONFIG_HOME/keeplight/config.json` (by default `~/.config/keeplight/config.json`), or the file that `KEEPLIGHT_CONFIG` names, is JSON with any of these: `endpoints` (`api`, `upload`, `gateway`, `keyNodes`: base URLs), `pauseMs`, `keystore` (a path), `networks` (rows of chains by name), `rpc` (JSON-RPC URLs by the chain's name in conditions).",
    ],
  },
];

export const exitCodes: readonly (readonly [code: string, meaning: string])[] = [
  ["0", "done"],
  ["1", "failed; nothing is left to complete"],
  ["2", "incomplete: the command that completes it is printed"],
  [
    "129, 130, 143",
    "interrupted by the end of the terminal, by Ctrl-C, or by SIGTERM; if something is left to complete, the command for it is printed",
  ],
];

export const environment: readonly (readonly [name: string, meaning: string])[] = [
  ["KEEPLIGHT_API_KEY", "API key; takes precedence over the login"],
  ["KEEPLIGHT_SIGNER_COMMAND", "command that signs"],
  ["KEEPLIGHT_PRIVATE_KEY", "private key that signs: 64 hex characters"],
  ["KEEPLIGHT_KEYSTORE", "path of a keystore (Web3 Secret Storage) whose key signs"],
  ["KEEPLIGHT_PASSWORD", "password of the keystore or the login; passphrase of a recovery kit"],
  ["KEEPLIGHT_IDENTITY", "age identity that opens recovery kits"],
  ["KEEPLIGHT_CONFIG", "path of the configuration"],
  [
    "KEEPLIGHT_API_URL, KEEPLIGHT_UPLOAD_URL, KEEPLIGHT_GATEWAY_URL, KEEPLIGHT_KEY_NODES_URL",
    "base URLs; of gateways several, separated by commas",
  ],
  ["KEEPLIGHT_PAUSE_MS", "milliseconds between requests to two key nodes"],
  ["NO_COLOR", "any value turns colours off"],
];
