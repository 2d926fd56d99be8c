import { ByHand } from "../by-hand.ts";
import type { Program } from "../program.ts";
import { childOf, isFunction, isMember, isType, keyOf, listOf, type Node } from "../syntax/node.ts";
import { stripParentheses } from "../syntax/tree.ts";
import type { Holder } from "./values.ts";

/** What a program does with the promise that a call returns. */
export interface Outcome {
  /** What receives the result; undefined if nothing does. */
  holder: Holder | undefined;
  /** Functions that receive what the call throws. */
  handlers: Node[];
}

/** Finds what receives the result of a call, and what receives its error. */
export function findOutcome(program: Program, call: Node): Outcome {
  const { tree } = program;
  const outer = tree.withParentheses(call);
  const place = tree.placeOf(outer);
  const parent = place?.parent;
  if (isType(parent, "AwaitExpression")) {
    const handlers = findCatchClauses(program, parent);
    const awaited = tree.withParentheses(parent);
    const around = tree.placeOf(awaited)?.parent;
    if (isDropped(around)) return { holder: undefined, handlers };
    if (isType(around, "VariableDeclarator")) {
      const id = childOf(around, "id");
      if (id) return { holder: { kind: "pattern", node: id }, handlers };
    }
    return { holder: { kind: "expression", node: awaited }, handlers };
  }
  if (isDropped(parent)) return { holder: undefined, handlers: [] };
  if (isMember(parent) && keyOf(parent) === "then") {
    const chained = tree.placeOf(parent)?.parent;
    if (isType(chained, "CallExpression") && childOf(chained, "callee") === parent)
      return findChained(program, chained);
  }
  throw new ByHand("its promise is passed on, with the result in `data` or with an `error`: await it here", outer);
}

function isDropped(parent: Node | undefined): boolean {
  if (isType(parent, "ExpressionStatement")) return true;
  return isType(parent, "UnaryExpression") && parent["operator"] === "void";
}

/** `call().then(onResult, onError)`, and what follows it. */
function findChained(program: Program, then: Node): Outcome {
  const [onResult, onError] = listOf(then, "arguments").map((each) => stripParentheses(each));
  if (!isFunction(onResult)) throw new ByHand("its result is passed to a function that is made elsewhere", then);
  const parameters = listOf(onResult, "params");
  const [parameter] = parameters;
  const isPlain = parameter === undefined || isType(parameter, "Identifier", "ObjectPattern");
  if (parameters.length > 1 || !isPlain) throw new ByHand("its result is passed to several parameters", onResult);
  const uses = childOf(onResult, "body");
  if (!isType(onResult, "ArrowFunctionExpression") && uses && program.textOf(uses).includes("arguments")) {
    throw new ByHand("its result may be read from `arguments`", onResult);
  }
  const handlers = [...(onError ? [onError] : []), ...listHandlers(program, then)];
  return { holder: parameter && { kind: "pattern", node: parameter }, handlers };
}

/** Lists the functions that handle what a chain of promises throws. */
function listHandlers(program: Program, promise: Node): Node[] {
  const handlers: Node[] = [];
  let at = promise;
  for (;;) {
    const member = program.tree.placeOf(program.tree.withParentheses(at))?.parent;
    const next = member && program.tree.placeOf(member)?.parent;
    if (!isMember(member) || !isType(next, "CallExpression") || childOf(next, "callee") !== member) break;
    const [first, second] = listOf(next, "arguments");
    const handler = keyOf(member) === "catch" ? first : keyOf(member) === "then" ? second : undefined;
    if (handler) handlers.push(handler);
    at = next;
  }
  const around = program.tree.placeOf(program.tree.withParentheses(at))?.parent;
  return isType(around, "AwaitExpression") ? [...handlers, ...findCatchClauses(program, around)] : handlers;
}

/** Lists the `catch` clauses around an expression, within its function. */
function findCatchClauses(program: Program, node: Node): Node[] {
  const clauses: Node[] = [];
  let at = node;
  for (let place = program.tree.placeOf(at); place; place = program.tree.placeOf(at)) {
    const handler = place.field === "block" ? childOf(place.parent, "handler") : undefined;
    if (handler) clauses.push(handler);
    if (isFunction(place.parent)) break;
    at = place.parent;
  }
  return clauses;
}
