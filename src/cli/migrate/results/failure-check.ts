import { ByHand } from "../by-hand.ts";
import type { Call } from "../call.ts";
import type { Edits } from "../edits.ts";
import type { Program } from "../program.ts";
import { childOf, isType, listOf, type Node, nameOf } from "../syntax/node.ts";
import { continuesStatement, stripParentheses } from "../syntax/tree.ts";
import { type Holder, listUses } from "./values.ts";

/** Properties that report a failure, by the variables that hold them. */
type Names = ReadonlyMap<string, string>;

const HINT = "its failure is returned: keeplight throws it";

/**
 * Removes the check of a failure that is thrown at once: `const { error } = await call(); if (error) throw error;`.
 * Throws `ByHand` if a failure is read otherwise.
 *
 * @returns the properties of the pattern that are removed
 */
export function removeFailureCheck(
  program: Program,
  call: Call,
  holder: Holder,
  failures: readonly string[],
  edits: Edits,
): Node[] {
  const uses = listUses(program, holder);
  const reads = uses.filter((use) => use.kind !== "escape" && failures.includes(use.name));
  const [first] = reads;
  if (!first) return [];
  const pattern = holder.node;
  const declarator = program.tree.placeOf(pattern)?.parent;
  const declaration = declarator && program.tree.placeOf(declarator)?.parent;
  if (holder.kind !== "pattern" || !isType(pattern, "ObjectPattern") || !isType(declaration, "VariableDeclaration")) {
    throw new ByHand(HINT, first.node);
  }
  const check = findNext(program, declaration);
  const names = new Map<string, string>();
  for (const use of reads) {
    const value = use.kind === "property" ? use.value : undefined;
    const binding = isType(value, "Identifier") ? program.names.declaredBy(value) : undefined;
    const isInside = (node: Node) => check !== undefined && node.start >= check.start && node.end <= check.end;
    if (!binding || binding.writes > 0 || !binding.references.every(isInside)) throw new ByHand(HINT, use.node);
    if (binding.references.length > 0) names.set(binding.name, use.kind === "property" ? use.name : "");
  }
  if (names.size > 0 && check) {
    if (!isThrown(check, names)) throw new ByHand(HINT, check);
    program.refuseComments(declaration.end, check.end);
    edits.remove(declaration.end, check.end);
    // Without the check between them, the next statement might continue this one.
    const isEnded = program.textOf(declaration).endsWith(";");
    if (!isEnded && continuesStatement(program.text.slice(check.end))) edits.after(declaration.end, ";");
  }
  removeProperties(
    program,
    call,
    declaration,
    pattern,
    reads.map((use) => use.node),
    edits,
  );
  return reads.map((use) => use.node);
}

function findNext(program: Program, statement: Node): Node | undefined {
  const place = program.tree.placeOf(statement);
  const siblings = place ? listOf(place.parent, place.field) : [];
  return siblings[siblings.indexOf(statement) + 1];
}

/** Whether a statement throws if and only if there is a failure. */
function isThrown(statement: Node, names: Names): boolean {
  if (!isType(statement, "IfStatement") || childOf(statement, "alternate")) return false;
  const consequent = childOf(statement, "consequent");
  const body = isType(consequent, "BlockStatement") ? listOf(consequent, "body") : consequent ? [consequent] : [];
  const [only] = body;
  return body.length === 1 && isType(only, "ThrowStatement") && isFailure(childOf(statement, "test"), names);
}

function isFailure(expression: Node | undefined, names: Names): boolean {
  const test = stripParentheses(expression);
  const propertyOf = (node: Node | undefined) => names.get(nameOf(stripParentheses(node)) ?? "");
  if (isType(test, "LogicalExpression") && test["operator"] === "||") {
    return isFailure(childOf(test, "left"), names) && isFailure(childOf(test, "right"), names);
  }
  if (isType(test, "UnaryExpression") && test["operator"] === "!") {
    return /^is[A-Z]/.test(propertyOf(childOf(test, "argument")) ?? "");
  }
  if (isType(test, "BinaryExpression") && /^!==?$/.test(String(test["operator"]))) {
    return propertyOf(childOf(test, "left")) === "error" && isType(childOf(test, "right"), "NullLiteral");
  }
  return propertyOf(test) === "error";
}

function removeProperties(
  program: Program,
  call: Call,
  declaration: Node,
  pattern: Node,
  removed: readonly Node[],
  edits: Edits,
): void {
  const properties = listOf(pattern, "properties");
  program.refuseComments(pattern.start, pattern.end);
  if (removed.length === properties.length) {
    const [declarator, ...others] = listOf(declaration, "declarations");
    const init = childOf(declarator, "init");
    if (others.length > 0 || !init) throw new ByHand("several variables are declared at once", declaration);
    program.refuseComments(declaration.start, call.node.start);
    edits.remove(declaration.start, init.start);
    return;
  }
  const kept = properties.filter((property) => !removed.includes(property));
  for (const property of removed) {
    const next = kept.find((each) => each.start > property.start);
    const previous = kept.findLast((each) => each.start < property.start);
    const following = properties[properties.indexOf(property) + 1];
    if (next) edits.remove(property.start, following?.start ?? property.end);
    else edits.remove(previous?.end ?? property.start, property.end);
  }
}
