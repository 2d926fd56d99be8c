import type { NodePath } from "@babel/traverse";
import type * as t from "@babel/types";
import MagicString from "magic-string";
import { findPair, mergePair, rewriteArguments } from "./arguments.ts";
import {
  ByHand,
  Edits,
  endOf,
  type Path,
  type Program,
  parseSource,
  placeOf,
  readProgram,
  startOf,
  stringOf,
} from "./program.ts";
import { rewriteResult } from "./results.ts";
import type { Rule } from "./rule.ts";
import {
  type Call,
  findCalls,
  findSites,
  type KitName,
  listImported,
  listKept,
  rewriteSite,
  type Site,
} from "./sites.ts";
import { tables } from "./tables.ts";

/** What is left to do by hand. */
export interface LeftOver {
  line: number;
  column: number;
  /** The call, such as `lighthouse.shareFile`, or what else is left. */
  what: string;
  reason: string;
}

export interface RewrittenFile {
  text: string;
  /** How many calls are the kit's now. */
  migrated: number;
  /** In the order of the text. */
  left: LeftOver[];
}

/** Where a program configures the incumbent: that changes what the calls of every file do. */
export interface Redirect {
  /** `file:line`. */
  place: string;
  /** Whether the drop-in cannot be configured in the same way, so that nothing may be changed. */
  isFrozen: boolean;
}

/** Finds out whether a file configures the incumbent; throws a `SyntaxError` if it cannot be parsed. */
export function findRedirect(text: string, name: string): Redirect | undefined {
  if (!/\/dist\/(lighthouse\.)?config|@keeplight\/(lighthouse-sdk|kavach)\/config/.test(text)) return undefined;
  const found = findSites(readProgram(text, name)).filter(({ module }) => module.role === "config");
  const redirects = found.map(({ module, imported, specifier }) => {
    const hasDefault = imported.some(({ path }) => path.isImportDefaultSpecifier());
    const isFrozen = module.dropIn === undefined || (module.package === "lighthouse" && hasDefault);
    return { place: `${name}:${placeOf(specifier).line}`, isFrozen };
  });
  return redirects.find(({ isFrozen }) => isFrozen) ?? redirects[0];
}

/** A call of the kit that takes the place of one of the incumbent's. */
interface RewrittenCall {
  call: Call;
  to: string;
  edits: Edits;
  /** Another call that is no longer required. */
  merged: Call | undefined;
}

/**
 * Rewrites the calls of a program to those of the kit, as far as that is certain to work.
 *
 * @param redirect - where the whole program changes what the calls do
 * @throws a `SyntaxError` with `loc` if the file cannot be parsed
 */
export function rewriteFile(text: string, name: string, redirect?: Redirect): RewrittenFile {
  const program = readProgram(text, name);
  const sites = findSites(program);
  if (redirect?.isFrozen) {
    const reason = `${redirect.place} configures the package in a way that the drop-in does not have`;
    return { text, migrated: 0, left: sites.slice(0, 1).map((site) => toLeftOver(site.specifier, "import", reason)) };
  }
  const unclear = sites.flatMap(listUnclear);
  const { calls, others } = findCalls(program, sites);
  const rewritten: RewrittenCall[] = [];
  const failed = new Map<Call, ByHand>();
  for (const call of calls) {
    try {
      if (redirect) throw new ByHand(`${redirect.place} sets where requests are sent: that is the option endpoints`);
      rewritten.push(rewriteCall(call));
    } catch (error) {
      if (!(error instanceof ByHand)) throw error;
      failed.set(call, error);
    }
  }
  for (const { merged } of rewritten) if (merged) failed.delete(merged);
  const result = write(program, sites, rewritten);
  // A file is never left in a state that cannot be read.
  parseSource(result, name);
  const left = [
    ...unclear,
    ...others.map((path) => toLeftOver(path, nameOf(path), "it is passed on or changed, not called")),
    ...[...failed].map(([call, error]) => describe(call, error)),
  ];
  return {
    text: result,
    migrated: calls.length - failed.size,
    left: left.sort((a, b) => a.line - b.line || a.column - b.column),
  };
}

/** Rewrites all of a call but its name; throws `ByHand` if that is not certain to work. */
function rewriteCall(call: Call): RewrittenCall {
  const { to, parameters, result } = findRule(call);
  const edits = new Edits();
  const pair = call.name === "decryptFile" ? findPair(call) : undefined;
  rewriteResult(call, result, edits);
  const text = pair && mergePair(pair, edits);
  const changed = parameters.map((each, at) => (text && at === 1 ? { ...each, convert: () => ({ text }) } : each));
  rewriteArguments(call, { to, parameters: changed, result }, edits);
  return { call, to, edits, merged: pair?.fetch };
}

function findRule(call: Call): Rule {
  const table = tables[call.site.module.package];
  const entry = Object.hasOwn(table, call.name) ? table[call.name] : undefined;
  if (entry === undefined) throw new ByHand("there is no such call");
  if (typeof entry === "string") throw new ByHand(entry);
  return typeof entry === "function" ? entry(call) : entry;
}

function write(program: Program, sites: readonly Site[], rewritten: readonly RewrittenCall[]): string {
  const text = new MagicString(program.text);
  const done = rewritten.flatMap(({ call, merged }) => (merged ? [call, merged] : [call]));
  const migrated = new Set<t.Node>(done.map(({ reference }) => reference.node));
  const kept = new Map<Site, ReturnType<typeof listKept>>();
  // What takes functions out of an object comes after what imports it, and decides whether that is still used.
  for (const site of [...sites].reverse()) {
    kept.set(site, listKept(program, site, migrated));
    if (site.from && kept.get(site)?.length === 0) migrated.add(site.from.reference.node);
  }
  const removed = sites.flatMap((site) => site.imported.filter((each) => !kept.get(site)?.includes(each)));
  const freed = new Set([...migrated, ...removed.map(({ binding }) => binding.identifier)]);
  const kit = findKitImport(program);
  const chooseName = createNaming(program, kit, freed);
  const added = new Map<Site, KitName[]>();
  const finish = new Edits();
  // From the inside to the outside: what is inserted at the same place is then nested.
  for (const { call, to, edits } of [...rewritten].sort((a, b) => endOf(a.call.path) - endOf(b.call.path))) {
    edits.apply(text);
    const root = rootOf(call.site);
    // An import without a drop-in stays as it is, and gets no other beside it.
    const isBeside = ({ kind, imported, statement, module }: Site) =>
      module.dropIn && kind !== "object" && imported.length > 0 && statement.scope === root.statement.scope;
    const home = sites.find(isBeside) ?? root;
    const { local, isNew } = chooseName(call.path, to);
    finish.replace(startOf(call.callee), endOf(call.callee), local);
    const list = added.get(home) ?? [];
    if (isNew && !list.some((each) => each.call === to)) added.set(home, [...list, { call: to, local }]);
  }
  for (const site of sites) {
    if (site.isLoaded) rewriteSite(program, site, kept.get(site) ?? [], added.get(site) ?? [], kit, finish);
  }
  finish.apply(text);
  const isCrLf = program.text.includes("\r\n") && !/[^\r]\n/.test(program.text);
  return isCrLf ? text.toString().replace(/\r?\n/g, "\r\n") : text.toString();
}

function rootOf(site: Site): Site {
  return site.from ? rootOf(site.from.site) : site;
}

/** Lists what a site leaves to do besides its calls. */
function listUnclear({ specifier, module, kind, isLoaded, statement }: Site): LeftOver[] {
  const what = stringOf(specifier) ?? "import";
  if (!isLoaded) {
    return [toLeftOver(specifier, what, "a string names the package: mocks and settings are changed by hand")];
  }
  if (!module.dropIn) return [toLeftOver(specifier, what, "the drop-in has no such module")];
  if (kind !== "other" || module.role !== "calls") return [];
  const reason = statement.isExportDeclaration()
    ? "its calls are exported again"
    : "its calls are loaded in a way that is not followed: const { upload } = await import(…)";
  return [toLeftOver(specifier, what, reason)];
}

function describe({ label, path }: Call, { message, at }: ByHand): LeftOver {
  const { line } = placeOf(at ?? path);
  return toLeftOver(path, label, line === placeOf(path).line ? message : `${message} (line ${line})`);
}

function toLeftOver(path: Path, what: string, reason: string): LeftOver {
  return { ...placeOf(path), what, reason };
}

function nameOf({ node }: Path): string {
  return "name" in node && typeof node.name === "string" ? node.name : "export";
}

/** Finds a declaration that imports calls of the kit. */
function findKitImport({ root }: Program): NodePath<t.ImportDeclaration> | undefined {
  return root.get("body").find((path): path is NodePath<t.ImportDeclaration> => {
    if (!path.isImportDeclaration() || path.node.source.value !== "keeplight") return false;
    return path.node.importKind !== "type" && path.get("specifiers").some((each) => each.isImportSpecifier());
  });
}

/**
 * Returns what chooses the name of one of the kit's calls at a place; `isNew` if it has to be imported.
 *
 * @param freed - identifiers that are removed or replaced
 */
function createNaming({ names }: Program, kit: NodePath<t.ImportDeclaration> | undefined, freed: ReadonlySet<t.Node>) {
  const imported = (kit ? listImported(kit) : []).filter(({ isType }) => !isType);
  const known = new Map(imported.map(({ name, binding }) => [name, binding.identifier.name]));
  const chosen = new Map<string, string>();
  const isTaken = (name: string) => names.get(name)?.some((node) => !freed.has(node)) === true;
  return (at: Path, call: string): { local: string; isNew: boolean } => {
    const existing = known.get(call);
    if (existing !== undefined && at.scope.getBinding(existing)?.path.parent === kit?.node) {
      return { local: existing, isNew: false };
    }
    const capital = `keeplight${call[0]?.toUpperCase()}${call.slice(1)}`;
    let local = chosen.get(call) ?? call;
    for (let number = 1; !chosen.has(call) && isTaken(local); number++) {
      local = number === 1 ? capital : `${capital}${number}`;
    }
    chosen.set(call, local);
    return { local, isNew: true };
  };
}
