import type { Program } from "../program.ts";
import { childOf, isMember, isType, keyOf, listOf, type Node, nameOf } from "../syntax/node.ts";

/** Code that has a value: an expression, or a pattern that the value is assigned to where it is declared. */
export interface Holder {
  kind: "expression" | "pattern";
  node: Node;
}

/** What a program does with a value. */
export type Use =
  /** Reads a property: `value.name`. */
  | { kind: "member"; name: string; node: Node; object: Node }
  /** Reads a property: `{ name: value }`. */
  | { kind: "property"; name: string; node: Node; pattern: Node; value: Node }
  /** Anything else. */
  | { kind: "escape"; node: Node };

/** Lists what a program does with a value. */
export function listUses(program: Program, { kind, node }: Holder): Use[] {
  return kind === "pattern" ? listPatternUses(program, node) : listExpressionUses(program, node);
}

function listExpressionUses(program: Program, node: Node): Use[] {
  const outer = program.tree.withParentheses(node);
  const place = program.tree.placeOf(outer);
  if (!place) return [{ kind: "escape", node }];
  const { parent, field } = place;
  if (isMember(parent) && field === "object") {
    const name = keyOf(parent) ?? indexOf(parent);
    if (name === undefined || isChanged(program, parent)) return [{ kind: "escape", node: parent }];
    return [{ kind: "member", name, node: parent, object: outer }];
  }
  if (isType(parent, "VariableDeclarator") && field === "init") {
    const id = childOf(parent, "id");
    return id ? listPatternUses(program, id) : [];
  }
  if (isType(parent, "AssignmentExpression") && field === "right" && parent["operator"] === "=") {
    return listAssignedUses(program, parent);
  }
  if (isType(parent, "ExpressionStatement")) return [];
  return [{ kind: "escape", node }];
}

/** A variable that is declared without a value and assigned once. */
function listAssignedUses(program: Program, assignment: Node): Use[] {
  const { names, tree } = program;
  const left = childOf(assignment, "left");
  const binding = isType(left, "Identifier") ? names.resolve(left) : undefined;
  const escaped: Use[] = [{ kind: "escape", node: assignment }];
  if (!binding || !isType(tree.placeOf(assignment)?.parent, "ExpressionStatement")) return escaped;
  const { declaration, identifier, references, writes } = binding;
  const isPlain = isType(declaration, "VariableDeclarator") && childOf(declaration, "id") === identifier;
  if (!isPlain || childOf(declaration, "init") || identifier["typeAnnotation"] || writes !== 1) return escaped;
  if (isExported(program, declaration)) return escaped;
  return references.filter((each) => each !== left).flatMap((each) => listExpressionUses(program, each));
}

function listPatternUses(program: Program, pattern: Node): Use[] {
  const escaped: Use[] = [{ kind: "escape", node: pattern }];
  if (pattern["typeAnnotation"]) return escaped;
  if (isType(pattern, "Identifier")) {
    const binding = program.names.declaredBy(pattern);
    if (!binding || binding.writes > 0 || isExported(program, binding.declaration)) return escaped;
    return binding.references.flatMap((each) => listExpressionUses(program, each));
  }
  if (!isType(pattern, "ObjectPattern")) return escaped;
  return listOf(pattern, "properties").map((node): Use => {
    const name = keyOf(node);
    const value = childOf(node, "value");
    const isPlain = isType(node, "ObjectProperty") && node["computed"] !== true;
    if (!isPlain || name === undefined || !isType(value, "Identifier", "ObjectPattern", "ArrayPattern")) {
      return { kind: "escape", node };
    }
    return { kind: "property", name, node, pattern, value };
  });
}

/** Returns what a use has read. */
export function toHolder(program: Program, use: Exclude<Use, { kind: "escape" }>): Holder {
  return use.kind === "member"
    ? { kind: "expression", node: program.tree.withParentheses(use.node) }
    : { kind: "pattern", node: use.value };
}

function indexOf(member: Node): string | undefined {
  const property = childOf(member, "property");
  return member["computed"] === true && isType(property, "NumericLiteral") ? String(property["value"]) : undefined;
}

/** Whether a property is assigned or deleted. */
function isChanged(program: Program, member: Node): boolean {
  const place = program.tree.placeOf(member);
  if (!place) return false;
  const { parent, field } = place;
  if (isType(parent, "UpdateExpression")) return true;
  if (isType(parent, "UnaryExpression")) return parent["operator"] === "delete";
  if (isType(parent, "AssignmentExpression", "ForInStatement", "ForOfStatement")) return field === "left";
  return (
    isType(parent, "ArrayPattern", "RestElement") || (isType(parent, "ObjectProperty") && isInPattern(program, parent))
  );
}

function isInPattern(program: Program, property: Node): boolean {
  return isType(program.tree.placeOf(property)?.parent, "ObjectPattern");
}

function isExported(program: Program, declarator: Node): boolean {
  const declaration = program.tree.placeOf(declarator)?.parent;
  return declaration !== undefined && isType(program.tree.placeOf(declaration)?.parent, "ExportNamedDeclaration");
}

/** Where the value of an expression comes from: an expression, and the properties that lead from it to the value. */
export interface Origin {
  node: Node;
  path: string[];
}

/** Follows constants and properties back to the expression that the value is part of. */
export function traceOrigin(program: Program, expression: Node | undefined): Origin | undefined {
  const path: string[] = [];
  let node = expression;
  for (;;) {
    while (isType(node, "ParenthesizedExpression")) node = childOf(node, "expression");
    if (isMember(node)) {
      const name = keyOf(node);
      if (name === undefined) return undefined;
      path.unshift(name);
      node = childOf(node, "object");
    } else if (isType(node, "Identifier")) {
      const binding = program.names.resolve(node);
      const { declaration } = binding ?? {};
      const init = childOf(declaration, "init");
      if (!binding || binding.writes > 0 || !isType(declaration, "VariableDeclarator") || !init) return undefined;
      const steps = findInPattern(childOf(declaration, "id"), binding.identifier);
      if (!steps) return undefined;
      path.unshift(...steps);
      node = init;
    } else {
      return node && { node, path };
    }
  }
}

/** Returns the properties that lead to an identifier of a pattern. */
function findInPattern(pattern: Node | undefined, identifier: Node): string[] | undefined {
  if (pattern === identifier) return [];
  if (!isType(pattern, "ObjectPattern")) return undefined;
  for (const property of listOf(pattern, "properties")) {
    const name = keyOf(property);
    const steps = isType(property, "ObjectProperty")
      ? findInPattern(childOf(property, "value"), identifier)
      : undefined;
    if (steps && name !== undefined) return [name, ...steps];
  }
  return undefined;
}

/** Whether a program tests a value: in a condition, or by comparing it. */
export function findTest(program: Program, holder: Holder): Node | undefined {
  return listUses(program, holder)
    .flatMap((use) => (use.kind === "member" ? [use.object] : use.kind === "escape" ? [use.node] : []))
    .find((node) => isTest(program, node));
}

function isTest(program: Program, node: Node): boolean {
  const outer = program.tree.withParentheses(node);
  const place = program.tree.placeOf(outer);
  if (!place) return false;
  const { parent, field } = place;
  if (isType(parent, "UnaryExpression")) return parent["operator"] === "!" || parent["operator"] === "typeof";
  if (isType(parent, "LogicalExpression")) return true;
  if (isType(parent, "OptionalMemberExpression")) return parent["optional"] === true;
  if (isType(parent, "BinaryExpression")) return comparesWithNothing(parent);
  if (isType(parent, "SwitchStatement")) return field === "discriminant";
  return field === "test";
}

/** Whether a comparison is with what a failed call has in place of a value. */
function comparesWithNothing(comparison: Node): boolean {
  const sides = [childOf(comparison, "left"), childOf(comparison, "right")];
  return sides.some((side) => isType(side, "NullLiteral") || nameOf(side) === "undefined");
}

/** Returns the dotted name of a callee, such as `Buffer.from`. */
export function dottedName(node: Node | undefined): string | undefined {
  if (isType(node, "Identifier")) return nameOf(node);
  if (!isMember(node) || node["computed"] === true) return undefined;
  const object = dottedName(childOf(node, "object"));
  return object === undefined ? undefined : `${object}.${keyOf(node)}`;
}
