import MagicString from "magic-string";
import { ByHand, type LeftOver } from "./by-hand.ts";
import { collectEdits } from "./edits.ts";
import { type FoundCall, findCalls, placeOf } from "./modules/find-calls.ts";
import { findSites, type Site } from "./modules/find-sites.ts";
import { createLocalNames } from "./modules/local-names.ts";
import { type KitName, listKept, rewriteSite } from "./modules/rewrite-sites.ts";
import { type Program, readProgram } from "./program.ts";
import type { Redirect } from "./redirect.ts";
import { type RewrittenCall, rewriteCall } from "./rewrite-call.ts";
import { isType, type Node } from "./syntax/node.ts";
import { parseSource } from "./syntax/parse.ts";

/** What became of a file. */
export interface RewrittenFile {
  text: string;
  /** How many calls are the kit's now. */
  migrated: number;
  /** In the order of the text. */
  left: LeftOver[];
}

/**
 * Rewrites the calls of a program to those of the kit, as far as that is certain to work.
 *
 * @param redirect - where the whole program changes what the calls do
 * @throws a `SyntaxError` with `loc` if the file cannot be parsed
 */
export function rewriteFile(text: string, path: string, redirect?: Redirect): RewrittenFile {
  const program = readProgram(text, path);
  const sites = findSites(program);
  if (redirect?.isFrozen) {
    const reason = `${redirect.place} configures the package in a way that the drop-in does not have`;
    return {
      text,
      migrated: 0,
      left: sites.slice(0, 1).map(({ specifier }) => toLeftOver(specifier, "import", reason)),
    };
  }
  const { calls, others } = findCalls(program, sites);
  const left = [...others, ...sites.flatMap(listUnclear)];
  const rewritten = new Map<FoundCall, RewrittenCall>();
  for (const call of [...calls].sort((a, b) => a.node.end - b.node.end)) {
    try {
      if (redirect) throw new ByHand(`${redirect.place} sets where requests are sent: that is the option endpoints`);
      rewritten.set(call, rewriteCall(call));
    } catch (error) {
      if (!(error instanceof ByHand)) throw error;
      left.push(describe(call, error));
    }
  }
  const merged = new Set([...rewritten.values()].map((each) => each.merged?.node));
  const done = calls.filter((call) => rewritten.has(call) || merged.has(call.node));
  const stillLeft = left.filter(({ line, column }) => {
    return !done.some(({ node }) => merged.has(node) && placeOf(node).line === line && placeOf(node).column === column);
  });
  const result = write(program, sites, done, rewritten);
  // A file is never left in a state that cannot be read.
  parseSource(result, path);
  return {
    text: result,
    migrated: done.length,
    left: stillLeft.sort((a, b) => a.line - b.line || a.column - b.column),
  };
}

function write(
  program: Program,
  sites: readonly Site[],
  done: readonly FoundCall[],
  rewritten: ReadonlyMap<FoundCall, RewrittenCall>,
): string {
  const text = new MagicString(program.text);
  const migrated = new Set(done.map(({ reference }) => reference));
  const keptOf = (site: Site) => listKept(program, site, migrated);
  const removed = sites.flatMap((site) => {
    const kept = keptOf(site);
    return site.imported.filter((each) => !kept.includes(each)).map(({ binding }) => binding.identifier);
  });
  const names = createLocalNames(program, new Set([...migrated, ...removed]));
  const added = new Map<Site, KitName[]>();
  const finish = collectEdits();
  for (const [call, { to, edits }] of rewritten) {
    edits.apply(text);
    const scope = program.names.scopeOf(call.site.statement);
    const home = sites.find((each) => each.imported.length > 0 && program.names.scopeOf(each.statement) === scope);
    const { local, isNew } = names.choose(scope, to);
    finish.replace(call.callee.start, call.callee.end, local);
    const list = added.get(home ?? call.site) ?? [];
    if (isNew && !list.some((each) => each.call === to)) added.set(home ?? call.site, [...list, { call: to, local }]);
  }
  for (const site of sites) {
    if (site.isLoaded) rewriteSite(program, { site, kept: keptOf(site), names: added.get(site) ?? [] }, finish);
  }
  finish.apply(text);
  const isCrLf = program.text.includes("\r\n") && !/[^\r]\n/.test(program.text);
  return isCrLf ? text.toString().replace(/\r?\n/g, "\r\n") : text.toString();
}

/** Lists what a site leaves to do besides its calls. */
function listUnclear({ specifier, module, kind, isLoaded, statement }: Site): LeftOver[] {
  const what = String(specifier["value"] ?? "import");
  if (!isLoaded)
    return [toLeftOver(specifier, what, "a string names the package: mocks and settings are changed by hand")];
  if (!module.dropIn) return [toLeftOver(specifier, what, "the drop-in has no such module")];
  if (kind !== "other" || module.role !== "calls") return [];
  const reason = isType(statement, "ExportNamedDeclaration", "ExportAllDeclaration")
    ? "its calls are exported again"
    : "its calls are loaded in a way that is not followed: const { upload } = await import(…)";
  return [toLeftOver(specifier, what, reason)];
}

function describe({ name, node, imported }: FoundCall, { message, at }: ByHand): LeftOver {
  const { line } = placeOf(at ?? node);
  const where = line === placeOf(node).line ? "" : ` (line ${line})`;
  const object = imported.name === "*" ? `${imported.binding.name}.` : "";
  return toLeftOver(node, `${object}${name}`, `${message}${where}`);
}

function toLeftOver(node: Node, what: string, reason: string): LeftOver {
  return { ...placeOf(node), what, reason };
}
