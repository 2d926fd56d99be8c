import { findModule, type KnownModule } from "../packages.ts";
import type { Program } from "../program.ts";
import { childOf, isMember, isType, keyOf, listOf, type Node, nameOf, stringOf } from "../syntax/node.ts";
import { type Binding, listPattern } from "../syntax/scopes.ts";
import { stripParentheses } from "../syntax/tree.ts";

/** A name that a program has from a module. */
export interface Imported {
  binding: Binding;
  /** The name in the module; `*` for all calls as one object. */
  name: string;
  isType: boolean;
}

/** A place where a program names one of the modules. */
export interface Site {
  module: KnownModule;
  /** The string that names it. */
  specifier: Node;
  /**
   * `import`: a declaration. `require`, `dynamic`: the only declarator of a statement. `other`: anything else, of which
   * only the string is changed, if at all.
   */
  kind: "import" | "require" | "dynamic" | "other";
  /** The statement, unless it is of another kind. */
  statement: Node;
  imported: Imported[];
  /** Whether the string is loaded as a module, so that another one can take its place. */
  isLoaded: boolean;
}

/** Finds every place where a program names one of the modules. */
export function findSites(program: Program): Site[] {
  return program.tree.nodes.flatMap((node): Site[] => {
    const module = findModule(stringOf(node) ?? "");
    return module ? [createSite(program, node, module)] : [];
  });
}

function createSite(program: Program, specifier: Node, module: KnownModule): Site {
  const place = program.tree.placeOf(specifier);
  const parent = place?.parent;
  const common = { module, specifier, imported: [], isLoaded: true };
  if (isType(parent, "ImportDeclaration")) {
    return { ...common, kind: "import", statement: parent, imported: listImported(program, parent) };
  }
  if (place?.field === "source" || isType(parent, "TSExternalModuleReference", "TSImportType")) {
    return { ...common, kind: "other", statement: parent ?? specifier };
  }
  const isRequire = isType(parent, "CallExpression") && nameOf(childOf(parent, "callee")) === "require";
  const isDynamic = isType(parent, "CallExpression") && isType(childOf(parent, "callee"), "Import");
  if (!parent || (!isRequire && !isDynamic)) {
    return { ...common, kind: "other", statement: parent ?? specifier, isLoaded: isType(parent, "TSLiteralType") };
  }
  const declared = findDeclared(program, parent, isDynamic);
  if (!declared) return { ...common, kind: "other", statement: parent };
  const { statement, id, isDefault } = declared;
  return {
    ...common,
    kind: isDynamic ? "dynamic" : "require",
    statement,
    imported: listDestructured(program, id, isDefault),
  };
}

function listImported(program: Program, declaration: Node): Imported[] {
  return listOf(declaration, "specifiers").flatMap((node) => {
    const local = childOf(node, "local");
    const binding = local && program.names.declaredBy(local);
    if (!binding) return [];
    const imported = childOf(node, "imported");
    const name = imported ? (nameOf(imported) ?? stringOf(imported) ?? "") : "*";
    const isTypeOnly = [declaration["importKind"], node["importKind"]].some(
      (kind) => kind === "type" || kind === "typeof",
    );
    return [{ binding, name: name === "default" ? "*" : name, isType: isTypeOnly }];
  });
}

/** Finds the statement `const … = require(…)`, with or without `await` and `.default`. */
function findDeclared(
  program: Program,
  call: Node,
  isDynamic: boolean,
): { statement: Node; id: Node; isDefault: boolean } | undefined {
  const { tree } = program;
  let value = tree.withParentheses(call);
  if (isDynamic) {
    const awaited = tree.placeOf(value)?.parent;
    if (!isType(awaited, "AwaitExpression")) return undefined;
    value = tree.withParentheses(awaited);
  }
  const member = tree.placeOf(value)?.parent;
  const isDefault = isMember(member) && keyOf(member) === "default";
  if (isDefault) value = tree.withParentheses(member);
  const declarator = tree.placeOf(value)?.parent;
  const id = childOf(declarator, "id");
  if (
    !isType(declarator, "VariableDeclarator") ||
    stripParentheses(childOf(declarator, "init")) !== stripParentheses(value)
  ) {
    return undefined;
  }
  const statement = tree.placeOf(declarator)?.parent;
  const isPlain = id && !id["typeAnnotation"] && (isType(id, "Identifier") || isSimplePattern(id));
  const isAlone = statement !== undefined && listOf(statement, "declarations").length === 1;
  const isBlock = isType(statement && tree.placeOf(statement)?.parent, "Program", "BlockStatement");
  return isPlain && isAlone && isBlock ? { statement, id, isDefault } : undefined;
}

/** `{ upload, getBalance: balance }`, without defaults and rests. */
function isSimplePattern(pattern: Node): boolean {
  if (!isType(pattern, "ObjectPattern")) return false;
  return listOf(pattern, "properties").every(
    (each) =>
      isType(each, "ObjectProperty") && each["computed"] !== true && isType(childOf(each, "value"), "Identifier"),
  );
}

function listDestructured(program: Program, id: Node, isDefault: boolean): Imported[] {
  const nameBy = new Map<Node | undefined, string>();
  if (isType(id, "ObjectPattern")) {
    for (const each of listOf(id, "properties")) nameBy.set(childOf(each, "value"), keyOf(each) ?? "");
  }
  return listPattern(id).flatMap((identifier) => {
    const binding = program.names.declaredBy(identifier);
    const name = nameBy.get(identifier) ?? "*";
    return binding ? [{ binding, name: name === "default" && !isDefault ? "*" : name, isType: false }] : [];
  });
}
