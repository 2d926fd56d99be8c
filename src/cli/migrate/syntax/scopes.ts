import { childOf, isFunction, isType, listOf, type Node, nameOf } from "./node.ts";
import { stripParentheses, type Tree } from "./tree.ts";

/** What a name stands for within a scope. */
export interface Binding {
  readonly name: string;
  /** The identifier that declares it. */
  readonly identifier: Node;
  /** The declaration: a declarator, an import specifier, a function and so on. */
  readonly declaration: Node;
  readonly scope: Scope;
  /** Every other use of the name, in the order of the text. */
  readonly references: Node[];
  /** How often it is assigned besides its declaration, or declared again. */
  writes: number;
}

/** A region of a program with names of its own. */
export interface Scope {
  readonly node: Node;
  readonly parent: Scope | undefined;
  readonly bindings: Map<string, Binding>;
}

/** The names of a program. */
export interface Names {
  /** Every identifier that declares or uses a name, by the name; properties excluded. */
  readonly all: ReadonlyMap<string, readonly Node[]>;
  /** Returns what an identifier stands for; undefined for a global. */
  resolve(identifier: Node): Binding | undefined;
  /** Returns the binding that an identifier declares. */
  declaredBy(identifier: Node): Binding | undefined;
  scopeOf(node: Node): Scope;
}

/** Finds what every name of a program stands for. What may be a use counts as one, also in types. */
export function resolveNames(tree: Tree): Names {
  const scopes = new Map<Node, Scope>();
  const declared = new Map<Node, Binding>();
  const resolved = new Map<Node, Binding>();
  const all = new Map<string, Node[]>();
  const root: Scope = { node: tree.root, parent: undefined, bindings: new Map() };
  scopes.set(tree.root, root);

  function scopeOf(node: Node): Scope {
    for (let around: Node | undefined = node; around; around = tree.placeOf(around)?.parent) {
      const scope = scopes.get(around);
      if (scope) return scope;
    }
    return root;
  }

  function declare(scope: Scope, identifier: Node, declaration: Node): void {
    const name = nameOf(identifier);
    if (name === undefined) return;
    const known = scope.bindings.get(name);
    if (known) {
      known.writes += 1;
      declared.set(identifier, known);
      return;
    }
    const binding: Binding = { name, identifier, declaration, scope, references: [], writes: 0 };
    scope.bindings.set(name, binding);
    declared.set(identifier, binding);
  }

  for (const node of tree.nodes) {
    if (node !== tree.root && makesScope(node, tree)) {
      scopes.set(node, { node, parent: scopeOf(node), bindings: new Map() });
    }
  }
  for (const node of tree.nodes) {
    for (const [identifier, scope] of listDeclared(node, tree, scopeOf)) declare(scope, identifier, node);
  }
  for (const node of tree.nodes) {
    const name = nameOf(node);
    if (name === undefined || isLabel(node, tree)) continue;
    all.set(name, [...(all.get(name) ?? []), node]);
    if (declared.has(node)) continue;
    const binding = find(scopeOf(node), name);
    if (!binding) continue;
    binding.references.push(node);
    resolved.set(node, binding);
    if (isWritten(node, tree)) binding.writes += 1;
  }
  return {
    all,
    resolve: (identifier) => resolved.get(identifier),
    declaredBy: (identifier) => declared.get(identifier),
    scopeOf,
  };
}

function find(scope: Scope, name: string): Binding | undefined {
  for (let at: Scope | undefined = scope; at; at = at.parent) {
    const binding = at.bindings.get(name);
    if (binding) return binding;
  }
  return undefined;
}

function makesScope(node: Node, tree: Tree): boolean {
  if (isFunction(node)) return true;
  // The block of a function has the same names as its parameters.
  if (isType(node, "BlockStatement")) return !isFunction(tree.placeOf(node)?.parent);
  return /^(For(In|Of)?Statement|SwitchStatement|CatchClause|Class(Declaration|Expression)|StaticBlock|TSModuleBlock)$/.test(
    node.type,
  );
}

/** Lists the identifiers that a node declares, each with its scope. */
function* listDeclared(node: Node, tree: Tree, scopeOf: (node: Node) => Scope): Generator<[Node, Scope]> {
  const outside = () => scopeOf(tree.placeOf(node)?.parent ?? node);
  const id = childOf(node, "id");
  if (isType(node, "VariableDeclarator") && id) {
    const isVar = tree.placeOf(node)?.parent["kind"] === "var";
    for (const each of listPattern(id)) yield [each, isVar ? functionScope(scopeOf(node)) : scopeOf(node)];
  } else if (isFunction(node)) {
    if (id) yield [id, isType(node, "FunctionExpression") ? scopeOf(node) : outside()];
    for (const parameter of listOf(node, "params")) {
      for (const each of listPattern(parameter)) yield [each, scopeOf(node)];
    }
  } else if (isType(node, "ClassDeclaration", "ClassExpression") && id) {
    yield [id, isType(node, "ClassExpression") ? scopeOf(node) : outside()];
  } else if (isType(node, "CatchClause")) {
    for (const each of listPattern(childOf(node, "param"))) yield [each, scopeOf(node)];
  } else if (/^Import(Default|Namespace)?Specifier$/.test(node.type)) {
    const local = childOf(node, "local");
    if (local) yield [local, scopeOf(node)];
  } else if (isType(node, "TSEnumDeclaration", "TSModuleDeclaration", "TSImportEqualsDeclaration") && id) {
    yield [id, outside()];
  }
}

function functionScope(scope: Scope): Scope {
  let at = scope;
  while (at.parent && !isFunction(at.node) && !isType(at.node, "StaticBlock", "TSModuleBlock")) at = at.parent;
  return at;
}

/** Lists the identifiers that a pattern binds. */
export function listPattern(pattern: Node | undefined): Node[] {
  switch (pattern?.type) {
    case "Identifier":
      return [pattern];
    case "ObjectPattern":
      return listOf(pattern, "properties").flatMap((each) =>
        listPattern(isType(each, "RestElement") ? childOf(each, "argument") : childOf(each, "value")),
      );
    case "ArrayPattern":
      return listOf(pattern, "elements").flatMap(listPattern);
    case "AssignmentPattern":
      return listPattern(childOf(pattern, "left"));
    case "RestElement":
      return listPattern(childOf(pattern, "argument"));
    case "TSParameterProperty":
      return listPattern(childOf(pattern, "parameter"));
    default:
      return [];
  }
}

/** Whether an identifier is no use of a variable: the name of a property, a label, an attribute. */
function isLabel(node: Node, tree: Tree): boolean {
  const place = tree.placeOf(node);
  if (!place) return false;
  const { parent, field } = place;
  const isComputed = parent["computed"] === true;
  if (field === "property") return !isComputed && !isType(parent, "JSXMemberExpression");
  // A shorthand has the same node for both or two at the same place, of which the value is the use.
  if (field === "key") return !isComputed && childOf(parent, "value") !== node;
  if (field === "label" || field === "meta" || field === "imported" || field === "exported") return true;
  if (isType(parent, "MetaProperty", "JSXAttribute", "JSXClosingElement")) return true;
  if (isType(parent, "ExportSpecifier")) return childOf(tree.placeOf(parent)?.parent, "source") !== undefined;
  return false;
}

function isWritten(node: Node, tree: Tree): boolean {
  let at = node;
  for (let place = tree.placeOf(at); place; place = tree.placeOf(at)) {
    const { parent, field } = place;
    if (isType(parent, "UpdateExpression")) return true;
    if (isType(parent, "AssignmentExpression", "ForInStatement", "ForOfStatement")) return field === "left";
    const isPattern =
      isType(parent, "ObjectPattern", "ArrayPattern", "RestElement", "ParenthesizedExpression") ||
      (isType(parent, "AssignmentPattern") && field === "left") ||
      (isType(parent, "ObjectProperty") && field === "value") ||
      /^TS(As|Satisfies|NonNull)/.test(parent.type);
    if (!isPattern) return false;
    at = parent;
  }
  return false;
}

/** Returns what a variable is set to where it is declared, if it is never set to anything else. */
export function findConstant(names: Names, identifier: Node): Node | undefined {
  const binding = names.resolve(identifier);
  if (!binding || binding.writes > 0 || !isType(binding.declaration, "VariableDeclarator")) return undefined;
  if (childOf(binding.declaration, "id") !== binding.identifier) return undefined;
  return stripParentheses(childOf(binding.declaration, "init"));
}
