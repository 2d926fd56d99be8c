import type { Program } from "../program.ts";
import { childOf, isType, type Node } from "../syntax/node.ts";
import { dottedName } from "./values.ts";

const TAKE_ANYTHING = /^(console\.\w+|Number|String|Boolean|JSON\.stringify|expect|assert(\.\w+)?)$/;

/** Whether the type of an expression is of no consequence to the code around it. */
export function isTypeIgnored(program: Program, node: Node): boolean {
  const place = program.tree.placeOf(program.tree.withParentheses(node));
  if (!place) return false;
  const { parent, field } = place;
  if (isType(parent, "CallExpression")) {
    return field === "arguments" && TAKE_ANYTHING.test(dottedName(childOf(parent, "callee")) ?? "");
  }
  if (isType(parent, "ObjectProperty", "ObjectExpression", "ArrayExpression")) return isTypeIgnored(program, parent);
  return isType(parent, "TemplateLiteral", "ExpressionStatement");
}
