import { ByHand } from "../by-hand.ts";
import type { Program } from "../program.ts";
import { childOf, isMember, isType, keyOf, listOf, type Node } from "../syntax/node.ts";
import { listPattern } from "../syntax/scopes.ts";
import { stripParentheses } from "../syntax/tree.ts";

/** Refuses handlers of errors that depend on the text of a message: the kit's errors have other texts, and a `code`. */
export function refuseMessageTests(program: Program, handlers: readonly Node[]): void {
  for (const handler of handlers) {
    const inner = stripParentheses(handler);
    const parameter = isType(inner, "CatchClause") ? childOf(inner, "param") : listOf(inner, "params")[0];
    for (const identifier of listPattern(parameter)) {
      const references = program.names.declaredBy(identifier)?.references ?? [];
      const test = references.find((each) => dependsOnText(program, each, isType(parameter, "ObjectPattern")));
      if (test) throw new ByHand("the text of its error is tested, which is another one: test `error.code`", test);
    }
  }
}

/** Whether a reference to an error, or to its message, is compared or searched. */
function dependsOnText(program: Program, reference: Node, isMessage: boolean): boolean {
  let at = reference;
  let hasMessage = isMessage;
  for (let place = program.tree.placeOf(at); place; place = program.tree.placeOf(at)) {
    const { parent, field } = place;
    if (isMember(parent) && field === "object") {
      const name = keyOf(parent);
      // Of requests: the kit's errors have none of them.
      if (name === "response" || name === "request" || name === "statusCode") return true;
      if (hasMessage && /^(includes|startsWith|endsWith|match|search|indexOf)$/.test(name ?? "")) return true;
      hasMessage ||= name === "message" || name === "toString";
    } else if (isType(parent, "BinaryExpression")) {
      return hasMessage && /^[!=]==?$/.test(String(parent["operator"]));
    } else if (isType(parent, "SwitchStatement")) {
      return hasMessage && field === "discriminant";
    } else if (isType(parent, "CallExpression") && field === "arguments") {
      const callee = childOf(parent, "callee");
      return hasMessage && isMember(callee) && keyOf(callee) === "test";
    } else if (!/^(Parenthesized|OptionalCall|Call|Logical)Expression$/.test(parent.type)) {
      return false;
    }
    at = parent;
  }
  return false;
}
