import { ByHand } from "../by-hand.ts";
import { argumentOf, type Call } from "../call.ts";
import { findOutcome } from "../results/outcome.ts";
import { listUses, toHolder, traceOrigin } from "../results/values.ts";
import { childOf, isMember, isType, keyOf, listOf, type Node } from "../syntax/node.ts";
import type { Converter } from "../table/types.ts";

/** Whether shards are known to come from calls of which three recover the key. */
export const toShards: Converter = (call, index) => {
  const node = argumentOf(call, index);
  const isSlice =
    isType(node, "CallExpression") && isMember(childOf(node, "callee")) && keyOf(childOf(node, "callee")) === "slice";
  const list = isSlice ? childOf(childOf(node, "callee"), "object") : node;
  const maker = findMaker(call, list);
  const threshold = maker && { generate: 0, shardKey: 1, recoverShards: 3 }[maker.name];
  const count = maker && threshold !== undefined ? argumentOf(maker, threshold) : undefined;
  if (threshold === undefined || (count && count["value"] !== 3)) {
    throw new ByHand("how many shards recover this key is not certain: kavachRecoverKey(shards, { threshold })", node);
  }
  return {};
};

/** The five shards of a key: where types are checked, those of a call that makes five. */
export const toFiveShards: Converter = (call, index) => {
  const node = argumentOf(call, index);
  const isEmpty = isType(node, "ArrayExpression") && listOf(node, "elements").length === 0;
  if (!node || isEmpty) return "drop";
  const maker = call.program.isTyped ? findMaker(call, node) : undefined;
  const count = maker && argumentOf(maker, maker.name === "generate" ? 1 : 2);
  const isFive = maker && maker.name !== "recoverShards" && (!count || count["value"] === 5);
  if (call.program.isTyped && !isFive) throw new ByHand("the type of its shards is not that of a list of five", node);
  return {};
};

/** Finds the call that made a list of shards. */
function findMaker(call: Call, list: Node | undefined): Call | undefined {
  const origin = traceOrigin(call.program, list);
  const source = isType(origin?.node, "AwaitExpression") ? childOf(origin.node, "argument") : undefined;
  return call.siblings.find((each) => each.node === source && each.package === "kavach");
}

/** Refuses uses of recovered shards but recovering the key: the kit's have the node, too, and another order. */
export function checkShardUses(call: Call): void {
  const { program, siblings } = call;
  const { holder } = findOutcome(program, call.node);
  const reads = holder ? listUses(program, holder) : [];
  for (const read of reads) {
    if (read.kind === "escape" || read.name !== "shards") continue;
    for (const use of listUses(program, toHolder(program, read))) {
      if (use.kind === "member" && use.name === "length") continue;
      const parent = program.tree.placeOf(program.tree.withParentheses(use.node))?.parent;
      const isRecovered = siblings.some(({ node, name }) => node === parent && name === "recoverKey");
      if (!isRecovered)
        throw new ByHand("its shards are not only used to recover the key: keeplight's name their node", use.node);
    }
  }
}

/** Addresses that may be none to the incumbent, while the kit requires one. */
export const toShareTo: Converter = (call, index) => {
  const node = argumentOf(call, index);
  if (!node) return "drop";
  const elements = isType(node, "ArrayExpression") ? listOf(node, "elements") : undefined;
  if (elements?.length === 0) return "drop";
  if (!elements || elements.every((each) => isType(each, "SpreadElement"))) {
    throw new ByHand("its list of addresses may be empty, which keeplight refuses", node);
  }
  return {};
};
