import type { Binding, NodePath } from "@babel/traverse";
import type * as t from "@babel/types";
import { findModule, type KnownModule } from "./packages.ts";
import {
  around,
  continuesStatement,
  type Edits,
  endOf,
  isMember,
  keyOf,
  loadOf,
  type Path,
  type Program,
  startOf,
  stringOf,
  textOf,
} from "./program.ts";

/** A name that a program has from a module. */
export interface Imported {
  binding: Binding;
  /** The name in the module; `*` for all calls as one object. */
  name: string;
  isType: boolean;
  /** The specifier, or the property of a pattern. */
  path: Path;
}

/** A place where a program names one of the modules, or takes functions out of the object of all calls. */
export interface Site {
  module: KnownModule;
  /** The string that names the module. */
  specifier: Path;
  /**
   * `import`: a declaration. `require`, `dynamic`: the only declarator of a statement. `object`: likewise, and its value
   * is a reference to what another site imports. `other`: anything else, of which only the string is changed, if at all.
   */
  kind: "import" | "require" | "dynamic" | "object" | "other";
  /** The statement, unless it is of another kind. */
  statement: Path;
  imported: Imported[];
  /** Whether the string is loaded as a module, so that another one can take its place. */
  isLoaded: boolean;
  /** For an `object`: the site that imports it, and the reference. */
  from?: { site: Site; reference: Path };
}

/** Finds every place where a program names one of the modules. */
export function findSites(program: Program): Site[] {
  return program.strings.flatMap((path): Site[] => {
    const module = findModule(stringOf(path) ?? "");
    return module ? [createSite(path, module)] : [];
  });
}

function createSite(specifier: Path, module: KnownModule): Site {
  const parent = specifier.parentPath;
  const kind = loadOf(specifier);
  const other = { module, specifier, kind: "other" as const, statement: parent ?? specifier, imported: [] };
  if (parent?.isImportDeclaration()) {
    return { ...other, kind: "import", statement: parent, imported: listImported(parent), isLoaded: true };
  }
  const declared = parent && kind ? findDeclared(parent, kind === "dynamic") : undefined;
  if (kind && declared) return { ...other, ...declared, kind, isLoaded: true };
  const isType = parent?.isTSExternalModuleReference() || parent?.isTSImportType() || parent?.isTSLiteralType();
  return { ...other, isLoaded: kind !== undefined || specifier.key === "source" || isType === true };
}

export function listImported(declaration: NodePath<t.ImportDeclaration>): Imported[] {
  return declaration.get("specifiers").flatMap((path) => {
    const binding = path.scope.getBinding(path.node.local.name);
    if (!binding) return [];
    const imported = path.isImportSpecifier() ? path.node.imported : undefined;
    const name = imported ? (imported.type === "Identifier" ? imported.name : imported.value) : "*";
    const kinds = [declaration.node.importKind, path.isImportSpecifier() ? path.node.importKind : undefined];
    const isType = kinds.some((kind) => kind === "type" || kind === "typeof");
    return [{ binding, name: name === "default" ? "*" : name, isType, path }];
  });
}

/** Finds the statement `const … = require(…)`, with or without `await` and `.default`. */
function findDeclared(call: Path, isDynamic: boolean): { statement: Path; imported: Imported[] } | undefined {
  const awaited = isDynamic ? around(call) : call;
  if (!awaited || (isDynamic && !awaited.isAwaitExpression())) return undefined;
  const member = around(awaited);
  const isDefault = isMember(member) && keyOf(member) === "default";
  const statement = findStatement(isDefault ? member : awaited);
  return statement && { statement, imported: listDeclared(statement, isDefault) };
}

/** Finds the statement whose only declarator sets a variable, or several by a simple pattern, to a value. */
function findStatement(value: Path): NodePath<t.VariableDeclaration> | undefined {
  const declarator = around(value);
  const statement = declarator?.parentPath;
  if (!declarator?.isVariableDeclarator() || !statement?.isVariableDeclaration()) return undefined;
  const id = declarator.get("id") as Path;
  const isPlain = id.isIdentifier() || (id.isObjectPattern() && id.get("properties").every(isPlainProperty));
  const isAlone = statement.node.declarations.length === 1 && !("typeAnnotation" in id.node && id.node.typeAnnotation);
  const isBlock = statement.parentPath?.isProgram() || statement.parentPath?.isBlockStatement();
  return isPlain && isAlone && isBlock ? (statement as NodePath<t.VariableDeclaration>) : undefined;
}

/** `upload` or `getBalance: balance`, without a default. */
function isPlainProperty(path: Path): boolean {
  return path.isObjectProperty() && !path.node.computed && (path.get("value") as Path).isIdentifier();
}

function listDeclared(statement: NodePath<t.VariableDeclaration>, isDefault: boolean): Imported[] {
  const id = statement.get("declarations")[0]?.get("id") as Path;
  const properties: Path[] = id.isObjectPattern() ? id.get("properties") : [id];
  return properties.flatMap((path) => {
    const name = path === id ? "*" : (keyOf(path) ?? "");
    const local = path === id ? id : (path.get("value") as Path);
    const binding = local.isIdentifier() ? local.scope.getBinding(local.node.name) : undefined;
    return binding ? [{ binding, name: name === "default" && !isDefault ? "*" : name, isType: false, path }] : [];
  });
}

/** A call of one of the incumbent's functions, in its program, with every other call of the file. */
export interface Call {
  program: Program;
  siblings: readonly Call[];
  site: Site;
  /** Name of the incumbent's function. */
  name: string;
  /** How the program calls it. */
  label: string;
  path: NodePath<t.CallExpression>;
  /** The identifier that refers to the import. */
  reference: Path;
  /** The expression that is called: the identifier, or a property of it. */
  callee: Path;
}

/** Finds the calls of the incumbent's functions, and the other references to them; adds sites of kind `object`. */
export function findCalls(program: Program, sites: Site[]): { calls: Call[]; others: Path[] } {
  const calls: Call[] = [];
  const others: Path[] = [];
  // Sites that are added meanwhile are visited, too.
  for (const site of sites) {
    if (site.module.role !== "calls") continue;
    for (const { binding, name, isType } of site.imported) {
      for (const reference of isType ? [] : binding.referencePaths) {
        const found = binding.constant ? findCallee(name, reference) : undefined;
        const call = found?.callee.parentPath;
        const object = name === "*" && binding.constant ? findStatement(withDefault(reference)) : undefined;
        if (found && call?.isCallExpression() && found.callee.key === "callee") {
          const label = found.callee === reference ? found.name : `${binding.identifier.name}.${found.name}`;
          calls.push({ program, siblings: calls, site, label, path: call, reference, ...found });
        } else if (object && !object.get("declarations")[0]?.get("id").isIdentifier()) {
          const { module, specifier } = site;
          const imported = listDeclared(object, true);
          const from = { site, reference };
          sites.push({ module, specifier, kind: "object", statement: object, imported, isLoaded: true, from });
        } else others.push(reference);
      }
    }
  }
  return { calls, others };
}

/** Finds what a reference is called as: a function of its own, or a property of all calls as one object. */
function findCallee(imported: string, reference: Path): { name: string; callee: Path } | undefined {
  if (imported !== "*") return { name: imported, callee: reference };
  const callee = withDefault(reference).parentPath;
  const name = callee?.isMemberExpression() && !callee.node.computed ? keyOf(callee) : undefined;
  return callee && name !== undefined ? { name, callee } : undefined;
}

function withDefault(reference: Path): Path {
  const member = reference.parentPath;
  return isMember(member) && keyOf(member) === "default" ? member : reference;
}

/** One of the kit's calls, and its name in a program. */
export interface KitName {
  call: string;
  local: string;
}

/** Lists what a program still uses of a site. All of it stays if a comment would be lost. */
export function listKept(
  program: Program,
  { statement, kind, imported }: Site,
  migrated: ReadonlySet<t.Node>,
): Imported[] {
  const [start, end] = [startOf(statement), endOf(statement)];
  const hasComment = program.comments.some((each) => (each.start ?? 0) >= start && (each.end ?? 0) <= end);
  if (kind === "other" || hasComment) return imported;
  return imported.filter(({ isType, binding: { referencePaths } }) => {
    return isType || referencePaths.length === 0 || !referencePaths.every(({ node }) => migrated.has(node));
  });
}

/** Changes an import to imports of the kit and of the drop-in, each as far as it is used. */
export function rewriteSite(
  program: Program,
  site: Site,
  kept: readonly Imported[],
  names: readonly KitName[],
  kit: Path | undefined,
  edits: Edits,
): void {
  const { specifier, statement, kind, imported } = site;
  const { dropIn } = site.module;
  if (!dropIn) return;
  const quote = program.text[startOf(specifier)] === "'" ? "'" : '"';
  const end = textOf(program, statement).endsWith(";") ? ";" : "";
  const isMerged = kind === "import" && kit?.isImportDeclaration() && names.length > 0;
  if (isMerged) {
    const list = names.map(({ call, local }) => (call === local ? call : `${call} as ${local}`));
    edits.after(kit.node.specifiers.at(-1)?.end ?? 0, `, ${list.join(", ")}`);
  }
  const lines = names.length > 0 && !isMerged ? [formatKitImport(site, names, `${quote}keeplight${quote}`) + end] : [];
  const lineStart = program.text.lastIndexOf("\n", startOf(statement) - 1) + 1;
  const indent = /^[ \t]*/.exec(program.text.slice(lineStart, startOf(statement)))?.[0] ?? "";
  const newLine = `\n${indent}`;
  if (kept.length === imported.length) {
    if (lines[0] !== undefined) edits.before(startOf(statement), lines[0] + newLine);
    const isRenamed = kind !== "object" && stringOf(specifier) !== dropIn;
    if (isRenamed) edits.replace(startOf(specifier), endOf(specifier), `${quote}${dropIn}${quote}`);
    return;
  }
  if (kept.length > 0) lines.push(formatDropIn(program, site, kept, `${quote}${dropIn}${quote}`) + end);
  if (lines.length > 0) edits.replace(startOf(statement), endOf(statement), lines.join(newLine));
  else removeStatement(program, statement, edits);
}

const MAX_LIST = 60;

function formatKitImport({ kind, statement }: Site, names: readonly KitName[], from: string): string {
  const list = [...names]
    .sort((a, b) => (a.call < b.call ? -1 : 1))
    .map(({ call, local }) => (call === local ? call : `${call}${kind === "import" ? " as " : ": "}${local}`));
  const line = list.join(", ");
  const block = line.length > MAX_LIST ? `{\n  ${list.join(",\n  ")},\n}` : `{ ${line} }`;
  if (kind === "import") return `import ${block} from ${from}`;
  const { kind: keyword } = statement.node as t.VariableDeclaration;
  return `${keyword} ${block} = ${kind === "dynamic" ? `await import(${from})` : `require(${from})`}`;
}

/** Writes the import of the drop-in with what is left of it. */
function formatDropIn(program: Program, { statement, kind }: Site, kept: readonly Imported[], from: string): string {
  const texts = (paths: readonly Imported[]) => paths.map(({ path }) => textOf(program, path));
  if (statement.isImportDeclaration()) {
    const named = kept.filter(({ path }) => path.isImportSpecifier());
    const others = texts(kept.filter(({ path }) => !path.isImportSpecifier()));
    const list = [...others, ...(named.length > 0 ? [`{ ${texts(named).join(", ")} }`] : [])].join(", ");
    return `import ${statement.node.importKind === "type" ? "type " : ""}${list} from ${from}`;
  }
  const { kind: keyword, declarations } = statement.node as t.VariableDeclaration;
  const init = program.text.slice(declarations[0]?.init?.start ?? 0, declarations[0]?.init?.end ?? 0);
  const rest = /\.default$/.test(init) ? ".default" : "";
  const loaded = kind === "dynamic" ? `await import(${from})` : `require(${from})`;
  const value = kind === "object" ? init : kind === "dynamic" && rest ? `(${loaded})${rest}` : `${loaded}${rest}`;
  return `${keyword} { ${texts(kept).join(", ")} } = ${value}`;
}

/** Removes a statement with the rest of its line. */
export function removeStatement({ text }: Program, statement: Path, edits: Edits): void {
  const [start, end] = [startOf(statement), endOf(statement)];
  const blank = /^[ \t]*(\r?\n[ \t]*)?/.exec(text.slice(end))?.[0] ?? "";
  // The next statement might continue the one before.
  if (continuesStatement(text.slice(end + blank.length))) edits.replace(start, end, ";");
  else edits.remove(start, end + blank.length);
}
