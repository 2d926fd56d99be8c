import { EVENT_VERSION } from "../output/output.ts";
import { packageJson } from "../package-json.ts";
import { allCommands, groups } from "../table/index.ts";
import { type Command, describeArguments, describeOptions, type Texts } from "../table/spec.ts";
import { describeCommand, formatUsage } from "./help.ts";

/** Writes what is generated from the table of commands: the manual, or the page about the command line. */
export function createManual(form: "man" | "markdown"): string {
  return form === "man" ? createManPage(packageJson.version, packageJson.description) : createDocsPage();
}

function createDocsPage(): string {
  const list = groups.map(({ title, commands }) => {
    const rows = commands.map(
      ({ name, summary }) => `| [\`${name}\`](#${name.replace(/ /g, "-")}) | ${escapeMarkdown(summary)} |`,
    );
    return `| ${title} | |\n| --- | --- |\n${rows.join("\n")}`;
  });
  const parts = [
    "# The command line",
    "<!-- Generated from packages/cli/src/table, by npm run docs:cli -->",
    "`npx @keeplight/cli <command>`, or, installed (`npm i -g @keeplight/cli`), `keeplight <command>`.",
    ...list,
    ...Object.entries(conventions).flatMap(([title, paragraphs]) => [`## ${title}`, ...paragraphs]),
    "## Exit codes",
    formatTable(["code", "meaning"], Object.entries(exitCodes)),
    "## Environment",
    formatTable(["variable", "meaning"], toCode(environment)),
    "## Events",
    `With \`--json\` every line of standard output is one event: an object with \`version\` (${EVENT_VERSION}), \`command\` and \`event\`. The last event is \`result\` or \`error\`. A field may be added at any time; the version changes when one is removed or changes its meaning. Amounts that may exceed 2^53 are decimal strings. \`dist/events.schema.json\` of the package is their JSON Schema (2020-12).`,
    formatTable(
      ["event", "fields"],
      Object.entries({
        progress: "`phase`, `loaded` and `total` in bytes (in `saving-keys`: shards), `fraction` from 0 to 1",
        item: "one of several results; see each command",
        result: "see each command",
        warning: "`message`",
        error:
          "`code`, `message`, `details`, `exitCode`; `resume`, the command that continues the work, if there is one",
      }),
    ),
    ...allCommands.flatMap(formatCommand),
  ];
  return `${parts.join("\n\n")}\n`;
}

function formatCommand(command: Command): string[] {
  const { name, examples, item, result } = command;
  const typed = { ...describeArguments(command), ...describeOptions(command) };
  const lines = Object.entries(examples).map(([line, purpose]) => `${line}  # ${purpose}`);
  return [
    `## ${name}`,
    `\`\`\`sh\n${formatUsage(command)}\n\`\`\``,
    escapeMarkdown(describeCommand(command)),
    formatTable(["argument or option", "meaning"], toCode(typed)),
    `\`\`\`sh\n${lines.join("\n")}\n\`\`\``,
    ...(item ? [`Fields of \`item\`: ${formatFields(item)}.`] : []),
    `Fields of \`result\`: ${formatFields(result)}.`,
  ];
}

const toCode = (texts: Texts) => Object.entries(texts).map(([name, meaning]) => [`\`${name}\``, meaning]);

function formatFields(fields: Texts): string {
  const list = Object.entries(fields).map(([name, about]) => `\`${name}\` (${about})`);
  return list.join(", ");
}

function formatTable(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const toRow = (cells: readonly string[]) => `| ${cells.map(escapeMarkdown).join(" | ")} |`;
  return [toRow(titles), toRow(titles.map(() => "---")), ...rows.map(toRow)].join("\n");
}

/** Keeps cells apart, and `<words>` outside of code from becoming HTML. */
function escapeMarkdown(text: string): string {
  const parts = text.replace(/\|/g, "\\|").split("`");
  return parts.map((part, at) => (at % 2 === 0 ? part.replace(/</g, "&lt;") : part)).join("`");
}

function createManPage(version: string, description: string): string {
  const lines = [
    `.TH KEEPLIGHT 1 "" "keeplight ${version}" "User Commands"`,
    ".SH NAME",
    escapeRoff(`keeplight - ${description[0]?.toLowerCase()}${description.slice(1).replace(/\.$/, "")}`),
    ".SH SYNOPSIS",
    ".B keeplight",
    escapeRoff("<command> [options] [arguments]"),
    ...groups.flatMap(({ title, commands }) => [
      `.SH "${escapeRoff(title.toUpperCase())}"`,
      ...commands.flatMap(formatManEntry),
    ]),
    ...Object.entries(conventions).flatMap(([title, paragraphs]) => [
      `.SH "${title.toUpperCase()}"`,
      ...paragraphs.flatMap((paragraph) => [".PP", escapeRoff(paragraph.replace(/`/g, ""))]),
    ]),
    '.SH "EXIT STATUS"',
    ...formatTerms(exitCodes),
    ".SH ENVIRONMENT",
    ...formatTerms(environment),
  ];
  return `${lines.join("\n")}\n`;
}

function formatManEntry(command: Command): string[] {
  return [
    `.SS "${escapeRoff(formatUsage(command))}"`,
    escapeRoff(command.about),
    ...formatTerms(describeOptions(command)),
    ".PP",
    "Examples:",
    ...formatTerms(command.examples),
  ];
}

function formatTerms(texts: Texts): string[] {
  return Object.entries(texts).flatMap(([term, about]) => [".TP", `.B ${escapeRoff(term)}`, escapeRoff(about)]);
}

/** A line must not start with a control character of roff, and a minus sign is to be copied as one. */
function escapeRoff(text: string): string {
  return text.replace(/\\/g, "\\e").replace(/-/g, "\\-").replace(/"/g, "\\(dq").replace(/^[.']/, "\\&$&");
}

/** What holds for every command: for the page and for the manual. */
const conventions: Readonly<Record<string, readonly string[]>> = {
  Output: [
    "Results go to standard output; bars, messages and questions to standard error. Colours and bars appear on a terminal only; `NO_COLOR` turns colours off. `--quiet` prints the bare result, such as one content id per line.",
    "Names and messages from the network are data: control characters in them are replaced before they are printed. `get` and `decrypt` name files by their content id, unless `--output` or `--name-from-network` is set; a name from the network is cleaned, and never leaves the folder.",
  ],
  Secrets: [
    "No secret is an argument, and none is in a configuration file. What signs is the first of: `--private-key-stdin`, `KEEPLIGHT_SIGNER_COMMAND`, `KEEPLIGHT_PRIVATE_KEY`, `KEEPLIGHT_KEYSTORE` with its password, and the login. `keeplight login` keeps secrets in the keyring of the operating system if `@napi-rs/keyring` is installed beside @keeplight/cli, or else sealed by a password in the folder of the state. Child processes do not inherit the secrets of the environment.",
    "A profile has the API key of one account and what signs for it: `keeplight login --profile work`, then `--profile work`, `KEEPLIGHT_PROFILE` or `keeplight profile use work`. A profile that is named takes precedence over `KEEPLIGHT_API_KEY`. If what signs is another account than that of the API key, commands that need both refuse it with `ACCOUNT_MISMATCH`; of an API key of the environment that is known once its account has files.",
    "The signer command is run by the shell for each signature. It receives one JSON-RPC request (EIP-1193) on standard input, `eth_accounts` or `personal_sign`, for payments also what a wallet receives, and prints one JSON-RPC response.",
  ],
  Interruption: [
    "Encrypted uploads, changes on the key nodes and payments are recorded in a journal in the folder of the state (`$XDG_STATE_HOME/keeplight`, by default `~/.local/state/keeplight`; mode 0700). If one of them is interrupted, by Ctrl-C, a lost connection or a power cut, `keeplight resume` completes it. An upload with `--pay-per-upload` that is not encrypted is completed by the same command: it is named by its content id, and paid once. A second Ctrl-C ends the process at once; that loses nothing either.",
  ],
  Configuration: [
    "`$XDG_CONFIG_HOME/keeplight/config.json` (by default `~/.config/keeplight/config.json`), or the file that `KEEPLIGHT_CONFIG` names, is JSON with any of these: `endpoints` (`api`, `upload`, `gateway`, `keyNodes`: base URLs), `pauseMs`, `keystore` (a path), `networks` (rows of chains by name), `rpc` (JSON-RPC URLs by the chain's name in conditions).",
  ],
};

const exitCodes: Texts = {
  "0": "done",
  "1": "failed; nothing is left to complete",
  "2": "incomplete: what is missing, or the command that completes it, is printed",
  "129, 130, 143":
    "interrupted by the end of the terminal, by Ctrl-C, or by SIGTERM; if something is left to complete, the command for it is printed",
};

const environment: Texts = {
  KEEPLIGHT_API_KEY: "API key; takes precedence over the login",
  KEEPLIGHT_PROFILE: "profile whose login is used",
  KEEPLIGHT_SIGNER_COMMAND: "command that signs",
  KEEPLIGHT_PRIVATE_KEY: "private key that signs: 64 hex characters",
  KEEPLIGHT_KEYSTORE: "path of a keystore (Web3 Secret Storage) whose key signs",
  KEEPLIGHT_PASSWORD: "password of the keystore or the login; passphrase of a recovery kit",
  KEEPLIGHT_IDENTITY: "age identity that opens recovery kits",
  KEEPLIGHT_CONFIG: "path of the configuration",
  "KEEPLIGHT_API_URL, KEEPLIGHT_UPLOAD_URL, KEEPLIGHT_WALRUS_UPLOAD_URL, KEEPLIGHT_X402_URL, KEEPLIGHT_GATEWAY_URL, KEEPLIGHT_WALRUS_GATEWAY_URL, KEEPLIGHT_KEY_NODES_URL":
    "base URLs; of gateways several, separated by commas",
  KEEPLIGHT_PAUSE_MS: "milliseconds between requests to two key nodes",
  NO_COLOR: "any value turns colours off",
};
