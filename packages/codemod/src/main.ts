import { readFileSync } from "node:fs";
import { constants } from "node:os";
import { Command } from "commander";
import { listPrograms, replaceFile, requireCleanWorkTree, UsageError } from "./files.ts";
import { formatDiff, type PlannedFile, planMigration } from "./plan.ts";

/** How the command ends; `incomplete`: something is left to do by hand. */
const EXIT = { failed: 1, incomplete: 2 } as const;

const packageJson: { version: string } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));

const command = new Command("@keeplight/codemod")
  .usage("[options] [path...]")
  .description(
    "Rewrites programs that call @lighthouse-web3/sdk and @lighthouse-web3/kavach. Calls become keeplight's where that is certain to work; the others stay as they are and call @keeplight/lighthouse-sdk and @keeplight/kavach, and each is listed with its place and the reason (exit code 2). Rewrites .js, .jsx, .mjs, .cjs, .ts, .tsx, .mts and .cts, but nothing in node_modules, dist, build and hidden folders; pass all folders of a program at once. Changes files only in a clean git work tree, unless --force is set.",
  )
  .argument("[path...]", "files and folders; default the working folder")
  .option("--dry-run", "print a patch and change nothing")
  .option("--force", "change files although git could not undo it")
  .option("--json", "print one JSON object a line: an `item` for each file, then a `result` or an `error`")
  .option("--quiet", "print only the names of changed files")
  .version(packageJson.version)
  .allowExcessArguments(true)
  .exitOverride(({ exitCode }) => process.exit(exitCode))
  .parse();
const flags = command.opts<{ dryRun?: true; force?: true; json?: true; quiet?: true }>();

/** Rewrites programs, and prints what became of them. */
async function run(paths: readonly string[], signal: AbortSignal): Promise<void> {
  const isDryRun = flags.dryRun === true;
  const { looked, files } = await planMigration(await listPrograms(paths.length > 0 ? paths : ["."]), signal);
  const changed = files.filter(({ before, text }) => before !== text);
  if (changed.length > 0 && !isDryRun && !flags.force) await requireCleanWorkTree(changed.map(({ path }) => path));
  for (const file of files) {
    signal.throwIfAborted();
    const { name, before, text, path, migrated, left } = file;
    const isChanged = before !== text;
    if (isChanged && !isDryRun) await replaceFile(path, before, text);
    const diff = isDryRun && isChanged ? formatDiff(name, before, text) : undefined;
    const item = { file: name, changed: isChanged && !isDryRun, migrated, left, diff };
    print("item", item, isChanged ? [clean(name)] : [], describe(file, diff));
  }
  const migrated = files.reduce((total, file) => total + file.migrated, 0);
  const left = files.reduce((total, file) => total + file.left.length, 0);
  const install = findInstall(files);
  const result = { files: looked, changed: isDryRun ? 0 : changed.length, migrated, left, install };
  const verb = isDryRun ? "would be rewritten" : "rewritten";
  const rest = left > 0 ? `; left to do by hand: ${left}` : "";
  print("result", result, [], [`Calls ${verb}: ${migrated}, in files: ${changed.length}${rest}`]);
  if (install !== undefined && !flags.json && !flags.quiet) process.stderr.write(`The packages: ${install}\n`);
  if (left > 0) process.exitCode = EXIT.incomplete;
}

/** Prints an event: as JSON, as names only, or for people. */
function print(event: string, data: object, names: readonly string[] = [], lines: readonly string[] = []): void {
  const json = () => [toSafeJson({ version: 1, command: "codemod", event, ...data })];
  const shown = flags.json ? json() : flags.quiet ? names : lines;
  if (shown.length > 0) process.stdout.write(`${shown.join("\n")}\n`);
}

function describe({ name, migrated, left, before, text }: PlannedFile, diff: string | undefined): string[] {
  const calls = migrated === 1 ? "1 call" : `${migrated} calls`;
  const head = before === text ? [] : [`${clean(name)}: ${migrated > 0 ? calls : "the drop-in's imports"}`];
  const places = left.map(({ line, column, what, reason }) => clean(`${name}:${line}:${column}  ${what}: ${reason}`));
  // A terminal must not obey what is in a program; elsewhere a patch stays as it is, so that git can apply it.
  const shown = process.stdout.isTTY ? diff?.replace(/\r$/gm, "").replace(UNSAFE, "\ufffd") : diff;
  return [...(shown === undefined ? head : [shown]), ...places];
}

/** Returns the command that installs what the programs require now, and removes what they do not. */
function findInstall(files: readonly PlannedFile[]): string | undefined {
  if (files.every(({ before, text }) => before === text)) return undefined;
  const isNamed = (text: string, name: string) => ["'", '"', "`"].some((quote) => text.includes(quote + name));
  const isUsed = (name: string) => files.some(({ text }) => isNamed(text, name));
  const used = ["keeplight", "@keeplight/lighthouse-sdk", "@keeplight/kavach"].filter(isUsed);
  const unused = ["@lighthouse-web3/sdk", "@lighthouse-web3/kavach"].filter(
    (name) => files.some(({ before }) => isNamed(before, name)) && !isUsed(name),
  );
  const toCommand = (verb: string, names: readonly string[]) =>
    names.length > 0 ? [`npm ${verb} ${names.join(" ")}`] : [];
  return [...toCommand("install", used), ...toCommand("uninstall", unused)].join(" && ") || undefined;
}

/** Characters that a terminal may obey, and those that reorder or hide text; tabs and line breaks excluded. */
const UNSAFE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what has to be found
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|\p{Cs}/gu;

function clean(text: string): string {
  return text.replace(UNSAFE, "\ufffd").replace(/[\t\n]/g, "\ufffd");
}

/** What JSON leaves as it is, is escaped if a terminal may obey it. */
function toSafeJson(value: unknown): string {
  const toEscape = (found: string) => `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return JSON.stringify(value).replace(UNSAFE, toEscape);
}

const interrupted = new AbortController();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.once(signal, () => {
    process.exitCode = 128 + constants.signals[signal];
    interrupted.abort();
  });
}
try {
  await run(command.args, interrupted.signal);
} catch (error) {
  if (!interrupted.signal.aborted) {
    process.exitCode = EXIT.failed;
    const { message, stack } = error instanceof Error ? error : new Error(String(error));
    const { code, hint } = error instanceof UsageError ? error : { code: "UNKNOWN", hint: stack };
    if (flags.json) print("error", { code, message, hint, exitCode: EXIT.failed });
    else process.stderr.write(`${[message, hint ?? []].flat().join("\n").replace(UNSAFE, "\ufffd")}\n`);
  }
}
