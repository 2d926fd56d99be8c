import { EXIT } from "../frame/exit-codes.ts";
import type { Invocation } from "../frame/invocation.ts";
import { listPrograms } from "../migrate/list-programs.ts";
import type { PlannedFile } from "../migrate/plan.ts";
import { replaceFile } from "../migrate/replace-file.ts";
import { formatDiff } from "../migrate/unified-diff.ts";
import { requireCleanWorkTree } from "../migrate/work-tree.ts";
import { clean, cleanLines } from "../output/clean.ts";

/** Rewrites programs that call the incumbent. */
export async function run({ output, list, flag, isDryRun, signal }: Invocation): Promise<void> {
  const paths = list("path");
  // The parser is large, and no other command requires it.
  const { planMigration } = await import("../migrate/plan.ts");
  const { looked, files } = await planMigration(listPrograms(paths.length > 0 ? paths : ["."]), signal);
  const changed = files.filter(({ before, after }) => before !== after);
  if (changed.length > 0 && !isDryRun && !flag("force")) {
    await requireCleanWorkTree(
      changed.map(({ path }) => path),
      signal,
    );
  }
  for (const file of files) {
    signal.throwIfAborted();
    const { name, before, after, path, migrated, left } = file;
    const isChanged = before !== after;
    if (isChanged && !isDryRun) await replaceFile(path, before, after);
    const item = { file: name, changed: isChanged && !isDryRun, migrated, left };
    const diff = isDryRun && isChanged ? formatDiff(name, before, after) : undefined;
    output.item(diff === undefined ? item : { ...item, diff }, {
      text: (width) => describe(file, width === undefined ? diff : diff && cleanCode(diff)),
      quiet: isChanged ? clean(name) : "",
      isVerbatim: true,
    });
  }
  const migrated = sum(files.map((file) => file.migrated));
  const left = sum(files.map((file) => file.left.length));
  const install = findInstall(files);
  const result = { files: looked, changed: isDryRun ? 0 : changed.length, migrated, left };
  output.result(install === undefined ? result : { ...result, install }, {
    text: () => summarize({ migrated, left, changed: changed.length, isDryRun }),
    quiet: "",
  });
  if (install !== undefined) output.note(`The packages: ${install}`);
  if (left > 0) process.exitCode = EXIT.resumable;
}

function describe({ name, migrated, left, before, after }: PlannedFile, diff: string | undefined): string {
  const calls = migrated === 1 ? "1 call" : `${migrated} calls`;
  const head = before === after ? [] : [`${clean(name)}: ${migrated > 0 ? calls : "the drop-in's imports"}`];
  const places = left.map(({ line, column, what, reason }) => clean(`${name}:${line}:${column}  ${what}: ${reason}`));
  return [...(diff === undefined ? head : [diff]), ...places].join("\n");
}

/** Makes a patch safe for a terminal, but keeps its tabs. Elsewhere it is not changed, so that git can apply it. */
function cleanCode(diff: string): string {
  return diff.replace(/\r$/gm, "").split("\t").map(cleanLines).join("\t");
}

function summarize(counts: { migrated: number; left: number; changed: number; isDryRun: boolean }): string {
  const { migrated, left, changed, isDryRun } = counts;
  const verb = isDryRun ? "would be rewritten" : "rewritten";
  const rest = left > 0 ? `; left to do by hand: ${left}` : "";
  return `Calls ${verb}: ${migrated}, in files: ${changed}${rest}`;
}

/** Returns the command that installs what the programs require now. */
function findInstall(files: readonly PlannedFile[]): string | undefined {
  if (files.every(({ before, after }) => before === after)) return undefined;
  const names = ["@lighthouse-web3/sdk", "@lighthouse-web3/kavach"];
  const isNamed = (text: string, name: string) => ["'", '"', "`"].some((quote) => text.includes(quote + name));
  const unused = names.filter(
    (name) => files.some(({ before }) => isNamed(before, name)) && !files.some(({ after }) => isNamed(after, name)),
  );
  return ["npm install keeplight", ...(unused.length > 0 ? [`npm uninstall ${unused.join(" ")}`] : [])].join(" && ");
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
