import { ByHand } from "../by-hand.ts";
import { argumentOf, type Call } from "../call.ts";
import { childOf, isType, keyOf, listOf, type Node, stringOf } from "../syntax/node.ts";
import { findConstant } from "../syntax/scopes.ts";
import type { Converter } from "../table/types.ts";
import { isPlain } from "./order.ts";

/** Conditions that are written in this file, in the form that the kit accepts. */
export const toConditions: Converter = (call, index) => {
  for (const condition of listConditions(call, index)) checkCondition(condition);
  return {};
};

/** An aggregator; of a single condition it is ignored by the incumbent, and refused by the kit. */
export const toAggregator: (conditionsAt: number) => Converter = (conditionsAt) => (call, index) => {
  const node = argumentOf(call, index);
  if (!node) return "drop";
  if (listConditions(call, conditionsAt).length > 1) return {};
  if (isPlain(node)) return "drop";
  throw new ByHand("an aggregator of a single condition is refused by keeplight", node);
};

/** A kind of chain. */
export const toChainType: Converter = (call, index) => {
  const node = argumentOf(call, index);
  if (!node) return "drop";
  const name = stringOf(node)?.toUpperCase();
  if (name === "EVM") return "drop";
  if (name === "SOLANA") return { text: 'chainType: "SOLANA"' };
  throw new ByHand("its chain type is not certain", node);
};

function listConditions(call: Call, index: number): Node[] {
  const node = argumentOf(call, index);
  const { isTyped, names } = call.program;
  const find = (each: Node | undefined) => (isType(each, "Identifier") ? findConstant(names, each) : each);
  const list = isTyped ? node : find(node);
  const conditions = isType(list, "ArrayExpression") ? listOf(list, "elements") : [];
  const resolved = conditions.map((each) => (isTyped ? each : (find(each) ?? each)));
  if (resolved.length === 0 || !resolved.every((each) => isType(each, "ObjectExpression"))) {
    throw new ByHand("its conditions are not written where they are passed, and keeplight checks more of them", node);
  }
  return resolved;
}

function checkCondition(condition: Node): void {
  const values = new Map<string, Node | undefined>();
  for (const property of listOf(condition, "properties")) {
    const key = isType(property, "ObjectProperty") ? keyOf(property) : undefined;
    if (key === undefined) throw new ByHand("a condition has properties from elsewhere", property);
    values.set(key, childOf(property, "value"));
  }
  const type = stringOf(values.get("standardContractType"));
  const id = values.get("id");
  if (!isType(id, "NumericLiteral")) throw new ByHand("the id of a condition has to be a number", id ?? condition);
  if (type === undefined) throw new ByHand("the type of a condition is not certain", condition);
  const extra = values.get("inputArrayType") ?? values.get("outputType");
  if (extra && type.toLowerCase() !== "custom") {
    throw new ByHand("types of arguments are for conditions of the type Custom: remove them", extra);
  }
  const offset = listOf(values.get("pdaInterface"), "properties").find((each) => keyOf(each) === "offset");
  if (offset && !isType(childOf(offset, "value"), "NumericLiteral")) {
    throw new ByHand("the offset of a condition has to be a number", offset);
  }
}
