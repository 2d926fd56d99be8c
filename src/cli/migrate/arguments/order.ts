import { ByHand } from "../by-hand.ts";
import type { Program } from "../program.ts";
import { childOf, isMember, isType, listOf, type Node } from "../syntax/node.ts";

/** Refuses to evaluate an argument before others if that might matter. */
export function refuseReordering(program: Program, moved: Node, others: readonly Node[]): void {
  if (isFixed(program, moved) || others.every((node) => isFixed(program, node))) return;
  if (isPlain(moved) && others.every(isPlain)) return;
  throw new ByHand("its arguments would be evaluated in another order: put them into constants first", moved);
}

/** Whether an expression has the same value whenever it is evaluated, and does nothing else. */
export function isFixed(program: Program, node: Node): boolean {
  if (isLiteral(node)) return true;
  if (isType(node, "ArrayExpression")) return listOf(node, "elements").every((each) => isFixed(program, each));
  if (isType(node, "Identifier")) {
    const binding = program.names.resolve(node);
    return binding !== undefined && binding.writes === 0;
  }
  return false;
}

/** Whether evaluating an expression only reads variables and properties. */
export function isPlain(node: Node | undefined): boolean {
  if (!node) return false;
  if (isLiteral(node) || isType(node, "Identifier", "ThisExpression", "MetaProperty")) return true;
  if (isMember(node))
    return isPlain(childOf(node, "object")) && (node["computed"] !== true || isPlain(childOf(node, "property")));
  if (isType(node, "TemplateLiteral")) return listOf(node, "expressions").every(isPlain);
  if (isType(node, "ArrayExpression")) return listOf(node, "elements").every(isPlain);
  return (
    isType(node, "TSNonNullExpression", "TSAsExpression", "ParenthesizedExpression") &&
    isPlain(childOf(node, "expression"))
  );
}

function isLiteral(node: Node): boolean {
  return isType(node, "StringLiteral", "NumericLiteral", "BooleanLiteral", "NullLiteral", "BigIntLiteral");
}
