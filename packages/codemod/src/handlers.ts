import type { Binding } from "@babel/traverse";
import { around, ByHand, dottedName, inner, isMember, keyOf, outer, type Path } from "./program.ts";

/** Refuses handlers that decide by an error: the kit's errors have other messages and names, and a `code` of their own. */
export function refuseDecisions(handlers: readonly Path[]): void {
  for (const handler of handlers) {
    const [first] = handler.isFunction() ? handler.get("params") : [];
    const parameter = (handler.isCatchClause() ? handler.get("param") : first) as Path | undefined;
    const decision = parameter?.node && findInPattern(parameter, false, new Set());
    if (decision)
      throw new ByHand("its error is tested, which is another one: test keeplight's `error.code`", decision);
  }
}

/** Properties of requests, which the kit's errors do not have. */
const REQUEST = /^(response|request|statusCode)$/;
const SEARCHES = /^(includes|startsWith|endsWith|match|search|indexOf)$/;
const LOOKUPS = /^(test|exec|includes|has|indexOf|get)$/;

/** Finds where a program decides by an error, or by a part of it, that a pattern receives. */
function findInPattern(pattern: Path, isPart: boolean, seen: Set<Binding>): Path | undefined {
  const properties: Path[] = pattern.isObjectPattern() ? pattern.get("properties") : [];
  const request = properties.find((each) => REQUEST.test(keyOf(each) ?? ""));
  if (request) return request;
  for (const name of Object.keys(pattern.getBindingIdentifiers())) {
    const binding = pattern.scope.getBinding(name);
    if (!binding || seen.has(binding)) continue;
    seen.add(binding);
    for (const reference of binding.referencePaths) {
      const found = findDecision(reference, isPart || !pattern.isIdentifier(), seen);
      if (found) return found;
    }
  }
  return undefined;
}

/** Finds where a program decides by an expression that is an error, or a part of it, such as its message. */
function findDecision(path: Path, isPart: boolean, seen: Set<Binding>): Path | undefined {
  const parent = around(path);
  const { key, listKey } = outer(path);
  const follow = (isNowPart = isPart) => (parent ? findDecision(parent, isNowPart, seen) : undefined);
  if (isMember(parent)) {
    const name = keyOf(parent) ?? "";
    return key === "property" || REQUEST.test(name) || SEARCHES.test(name) ? path : follow(true);
  }
  if (parent?.isBinaryExpression()) {
    if (parent.node.operator === "+") return follow(true);
    const other = inner(parent.get(key === "left" ? "right" : "left") as Path);
    // The kit throws errors, too.
    const isSame = other.isNullLiteral() || /^(undefined|Error)$/.test(dottedName(other) ?? "");
    return isPart || !isSame ? path : undefined;
  }
  if (parent?.isSwitchStatement() || parent?.isSwitchCase()) return path;
  if (parent?.isConditionalExpression()) return key === "test" ? undefined : follow();
  if (parent?.isCallExpression() && listKey === "arguments") {
    const callee = parent.get("callee") as Path;
    if (isPart && isMember(callee) && LOOKUPS.test(keyOf(callee) ?? "")) return path;
    return dottedName(callee) === "String" ? follow(true) : undefined;
  }
  if (parent?.isTemplateLiteral()) return follow(true);
  if (parent?.isVariableDeclarator()) return findInPattern(parent.get("id"), isPart, seen);
  if (parent?.isAssignmentExpression()) return findInPattern(parent.get("left") as Path, isPart, seen);
  const isSame = /^((Optional)?Call|Logical|TSAs|TSNonNull|TSSatisfies|TSTypeAssertion)(Expression)?$/;
  return parent && isSame.test(parent.node.type) ? follow() : undefined;
}
