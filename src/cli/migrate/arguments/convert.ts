import { ByHand } from "../by-hand.ts";
import { argumentOf, type Call } from "../call.ts";
import { childOf, isFunction, isType, keyOf, listOf, type Node, stringOf } from "../syntax/node.ts";
import type { Converted, Converter } from "../table/types.ts";
import { isPlain } from "./order.ts";
import { isString } from "./sources.ts";

/** A name that has the incumbent's default, not the kit's. */
export const toFileName: Converter = (call, index) => {
  const node = argumentOf(call, index);
  if (node && (stringOf(node) ?? "") !== "") return {};
  if (isType(node, "TemplateLiteral") && isString(call, node)) return {};
  if (!isPlain(node)) throw new ByHand('its name is computed: an empty one is refused, and none is "text.txt"', node);
  return { suffix: ' || "text"' };
};

/** An argument without a meaning to the kit: left out if it is not computed, and has this value if one is required. */
export const toNothing =
  (reason: string, isAccepted: (value: unknown) => boolean = () => true): Converter =>
  (call, index) => {
    const node = argumentOf(call, index);
    if (node && (!isPlain(node) || !isAccepted(node["value"]))) throw new ByHand(reason, node);
    return "drop";
  };

/** Addresses: where types are checked, a list that is not empty. */
export const toAddresses: Converter = (call, index) => {
  const node = argumentOf(call, index);
  if (!call.program.isTyped || isType(node, "StringLiteral")) return {};
  const [first] = isType(node, "ArrayExpression") ? listOf(node, "elements") : [];
  if (first && !isType(first, "SpreadElement")) return {};
  throw new ByHand("the type of its addresses allows an empty list: pass [first, ...others]", node);
};

/** Options of an upload: the version of the content ids, or an object of which the kit has these. */
export const toUploadOptions =
  (names: readonly string[]): Converter =>
  (call, index): Converted => {
    const node = argumentOf(call, index);
    if (!node) return "drop";
    const hasVersion = names.includes("cidVersion");
    if (hasVersion && isType(node, "NumericLiteral") && /^[01]$/.test(String(node["value"]))) return {};
    if (!isType(node, "ObjectExpression")) throw new ByHand("its options are made elsewhere", node);
    const properties = listOf(node, "properties");
    if (properties.length === 0) return "drop";
    const spread = properties.flatMap((property) => {
      const value = childOf(property, "value");
      const key = keyOf(property);
      if (key === "cidVersion" && hasVersion && isType(value, "NumericLiteral")) return [];
      if (key === "onProgress" && names.includes(key) && value) return [{ property, ...wrapProgress(call, value) }];
      throw new ByHand(`its option ${key ?? "of another name"} works otherwise in keeplight`, property);
    });
    return { spread };
  };

/** A function that receives progress. */
export const toProgress: Converter = (call, index) => {
  const node = argumentOf(call, index);
  return node ? wrapProgress(call, node) : "drop";
};

/** Calls a function with progress as the incumbent reports it: from 0 to 100 in Node, from 0 to 1 in a page. */
function wrapProgress({ program }: Call, node: Node): { prefix: string; suffix: string } {
  const { runtime, names } = program;
  if (!runtime) {
    throw new ByHand(
      "its progress is from 0 to 100 in Node and from 0 to 1 in a page; `fraction` is from 0 to 1",
      node,
    );
  }
  const isConstant = isType(node, "Identifier") && names.resolve(node)?.writes === 0;
  if (!isConstant && !isFunction(node)) throw new ByHand("the function for its progress may change", node);
  const progress = runtime === "node" ? "fraction * 100" : "fraction";
  const [open, close] = isConstant ? ["", ""] : ["(", ")"];
  return { prefix: `({ fraction }) => ${open}`, suffix: `${close}({ progress: ${progress} })` };
}
