import type { Edits } from "../edits.ts";
import type { Program } from "../program.ts";
import { childOf, isType, listOf, type Node } from "../syntax/node.ts";
import type { Imported, Site } from "./find-sites.ts";
import { findKitImport } from "./local-names.ts";

/** One of the kit's calls, and its name in a program. */
export interface KitName {
  call: string;
  local: string;
}

/** What becomes of a site. */
export interface SiteChange {
  site: Site;
  /** What the program still uses of the drop-in. */
  kept: readonly Imported[];
  /** What it has to import from the kit here. */
  names: readonly KitName[];
}

/** Changes an import to imports of the kit and of the drop-in, each as far as it is used. */
export function rewriteSite(program: Program, { site, kept, names }: SiteChange, edits: Edits): void {
  const { specifier, statement, module, kind } = site;
  const { dropIn } = module;
  if (!dropIn) return;
  const quote = program.text[specifier.start] === "'" ? "'" : '"';
  const end = program.textOf(statement).endsWith(";") ? ";" : "";
  const kit = findKitImport(program);
  const isMerged = kind === "import" && kit !== undefined && names.length > 0;
  if (isMerged) appendNames(kit, names, edits);
  const lines = names.length > 0 && !isMerged ? [formatKitImport(site, names, quote) + end] : [];
  if (kept.length === site.imported.length) {
    const [line] = lines;
    if (line !== undefined) edits.before(statement.start, `${line}${newLine(program, statement)}`);
    if (specifier["value"] !== dropIn) edits.replace(specifier.start, specifier.end, `${quote}${dropIn}${quote}`);
    return;
  }
  if (kept.length > 0) lines.push(formatDropIn(program, site, kept, `${quote}${dropIn}${quote}`) + end);
  if (lines.length === 0) removeStatement(program, statement, edits);
  else edits.replace(statement.start, statement.end, lines.join(newLine(program, statement)));
}

function formatKitImport({ kind, statement }: Site, names: readonly KitName[], quote: string): string {
  const from = `${quote}keeplight${quote}`;
  const isImport = kind === "import";
  const list = [...names]
    .sort((a, b) => (a.call < b.call ? -1 : 1))
    .map(({ call, local }) => (call === local ? call : isImport ? `${call} as ${local}` : `${call}: ${local}`));
  if (isImport) return `import ${formatList(list)} from ${from}`;
  const loaded = kind === "dynamic" ? `await import(${from})` : `require(${from})`;
  return `${String(statement["kind"])} ${formatList(list)} = ${loaded}`;
}

const MAX_LIST = 60;

function formatList(list: readonly string[]): string {
  const line = list.join(", ");
  return line.length > MAX_LIST ? `{\n  ${list.join(",\n  ")},\n}` : `{ ${line} }`;
}

/** Writes the import of the drop-in with what is left of it. */
function formatDropIn(program: Program, site: Site, kept: readonly Imported[], from: string): string {
  const { statement, kind } = site;
  if (kind === "import") {
    const specifiers = listOf(statement, "specifiers").filter((each) =>
      kept.some(({ binding }) => binding.identifier === childOf(each, "local")),
    );
    const named = specifiers.filter((each) => isType(each, "ImportSpecifier")).map(program.textOf);
    const others = specifiers.filter((each) => !isType(each, "ImportSpecifier")).map(program.textOf);
    const list = [...others, ...(named.length > 0 ? [`{ ${named.join(", ")} }`] : [])].join(", ");
    return `import ${statement["importKind"] === "type" ? "type " : ""}${list} from ${from}`;
  }
  const pattern = childOf(listOf(statement, "declarations")[0], "id");
  const properties = listOf(pattern, "properties").filter((each) =>
    kept.some(({ binding }) => binding.identifier === childOf(each, "value")),
  );
  const list = properties.map(program.textOf).join(", ");
  const loaded = kind === "dynamic" ? `await import(${from})` : `require(${from})`;
  const init = childOf(listOf(statement, "declarations")[0], "init");
  const rest = init && /\.default$/.test(program.textOf(init)) ? ".default" : "";
  const value = kind === "dynamic" && rest !== "" ? `(${loaded})` : loaded;
  return `${String(statement["kind"])} { ${list} } = ${value}${rest}`;
}

/** Adds names to an import of the kit. */
function appendNames(kit: Node, names: readonly KitName[], edits: Edits): void {
  const last = listOf(kit, "specifiers").at(-1);
  if (!last) return;
  const list = names.map(({ call, local }) => (call === local ? call : `${call} as ${local}`));
  edits.after(last.end, `, ${list.join(", ")}`);
}

/** Lists what a program still uses of a site. All of it stays if a comment would be lost. */
export function listKept(program: Program, site: Site, migrated: ReadonlySet<Node>): Imported[] {
  const { statement, kind, imported } = site;
  const hasComment = program.comments.some((each) => each.start >= statement.start && each.end <= statement.end);
  if (kind === "other" || hasComment) return imported;
  return imported.filter(({ isType: isTypeOnly, binding: { references } }) => {
    return isTypeOnly || references.length === 0 || !references.every((each) => migrated.has(each));
  });
}

/** Returns what a new line in front of a statement starts with. */
function newLine({ text }: Program, statement: Node): string {
  const lineStart = text.lastIndexOf("\n", statement.start - 1) + 1;
  const indent = /^[ \t]*/.exec(text.slice(lineStart, statement.start))?.[0] ?? "";
  return `${text.includes("\r\n") ? "\r\n" : "\n"}${indent}`;
}

function removeStatement({ text }: Program, statement: Node, edits: Edits): void {
  const blank = /^[ \t]*(\r?\n)?/.exec(text.slice(statement.end))?.[0] ?? "";
  edits.remove(statement.start, statement.end + blank.length);
}
