import { ByHand } from "../by-hand.ts";
import type { Call } from "../call.ts";
import type { Edits } from "../edits.ts";
import type { Program } from "../program.ts";
import { childOf, isType, type Node } from "../syntax/node.ts";
import type { ResultRule } from "../table/types.ts";
import { refuseMessageTests } from "./errors.ts";
import { removeFailureCheck } from "./failure-check.ts";
import { findOutcome } from "./outcome.ts";
import { isTypeIgnored } from "./type-use.ts";
import { findTest, type Holder, listUses, toHolder, type Use } from "./values.ts";

/** Changes what a program does with the result of a call to what the kit returns; throws `ByHand`. */
export function rewriteResult(call: Call, rule: ResultRule, edits: Edits): void {
  if (rule.same) return;
  const { program } = call;
  const { holder, handlers } = findOutcome(program, call.node);
  refuseMessageTests(program, handlers);
  rule.check?.(call);
  if (!holder) {
    if (rule.failures || rule.mayFail)
      throw new ByHand("its failure is returned and ignored here: keeplight throws it");
    return;
  }
  if (rule.unread) {
    refuseReading(program, holder);
    return;
  }
  const ignored = rule.failures ? removeFailureCheck(program, call, holder, rule.failures, edits) : [];
  const { path = ["data"] } = rule;
  let holders = [holder];
  for (const step of path) holders = holders.flatMap((each) => strip(program, each, step, edits));
  for (const each of holders) checkFields(program, each, rule, edits, ignored);
  if (rule.first) takeFirst(program, holder, edits);
}

function refuseReading(program: Program, holder: Holder): void {
  const [use] = listUses(program, holder);
  if (use)
    throw new ByHand("its result, which repeats the arguments, is read: keeplight returns `nodesDone`", use.node);
}

/** Removes a property that leads to the kit's result, wherever it is read. */
function strip(program: Program, holder: Holder, name: string, edits: Edits): Holder[] {
  return listUses(program, holder).flatMap((use) => {
    if (use.kind === "escape") throw new ByHand(`its whole result is passed on, with \`${name}\` in it`, use.node);
    if (use.name !== name) throw new ByHand(`\`${use.name}\` of its result is read`, use.node);
    if (use.kind === "member") {
      program.refuseComments(use.object.end, use.node.end);
      edits.remove(use.object.end, use.node.end);
    } else {
      const { pattern, value } = use;
      const properties = pattern["properties"] as unknown[];
      if (properties.length > 1) throw new ByHand(`more than \`${name}\` of its result is read`, pattern);
      program.refuseComments(pattern.start, value.start);
      program.refuseComments(value.end, pattern.end);
      edits.remove(pattern.start, value.start);
      edits.remove(value.end, pattern.end);
    }
    return [toHolder(program, use)];
  });
}

/** Checks what is read of the kit's result, and renames what has another name there. */
function checkFields(
  program: Program,
  holder: Holder,
  rule: ResultRule,
  edits: Edits,
  ignored: readonly Use["node"][],
): void {
  refuseTest(program, holder, rule);
  for (const use of listUses(program, holder)) {
    if (ignored.includes(use.node)) continue;
    if (use.kind === "escape") {
      if (rule.fields)
        throw new ByHand("its result is passed on as a whole, and keeplight's has other properties", use.node);
      refuseType(program, use.node, rule, undefined);
      continue;
    }
    const next = toHolder(program, use);
    if (/^\d+$/.test(use.name)) {
      checkFields(program, next, rule, edits, []);
      continue;
    }
    rename(use, rule, edits);
    if (rule.failures) refuseTest(program, next, rule);
    if (use.kind === "member") refuseType(program, use.node, rule, use.name);
    else for (const each of listUses(program, next)) refuseType(program, each.node, rule, use.name);
  }
}

function rename(use: Exclude<Use, { kind: "escape" }>, { fields }: ResultRule, edits: Edits): void {
  if (!fields) return;
  const to = Object.hasOwn(fields, use.name) ? fields[use.name] : undefined;
  if (to === undefined) throw new ByHand(`keeplight's result has no \`${use.name}\``, use.node);
  if (to === use.name) return;
  const name = childOf(use.node, use.kind === "member" ? "property" : "key");
  if (use.kind === "property" && use.node["shorthand"] === true) edits.before(use.node.start, `${to}: `);
  else if (name && use.node["computed"] !== true) edits.replace(name.start, name.end, to);
  else throw new ByHand(`\`${use.name}\` is named ${to} by keeplight`, use.node);
}

function refuseTest(program: Program, holder: Holder, { mayFail, failures }: ResultRule): void {
  const test = mayFail || failures ? findTest(program, holder) : undefined;
  if (test) throw new ByHand("a failure is found by testing the result: keeplight throws instead", test);
}

/** Where types are checked, a type that the kit leaves wider may make the program fail to compile. */
function refuseType(program: Program, node: Node, { sameTypes = [] }: ResultRule, name: string | undefined): void {
  const isSame = sameTypes === "all" || (name !== undefined && sameTypes.includes(name));
  if (!program.isTyped || isSame || isTypeIgnored(program, node)) return;
  const what = name === undefined ? "its result" : `\`${name}\` of its result`;
  throw new ByHand(`${what} has another type in keeplight, where a value may be missing`, node);
}

/** The kit returns a list: its first item is what the incumbent returned. */
function takeFirst(program: Program, { kind, node }: Holder, edits: Edits): void {
  if (kind === "expression") {
    const hasParentheses = isType(node, "ParenthesizedExpression");
    if (!hasParentheses) edits.before(node.start, "(");
    edits.after(node.end, hasParentheses ? "[0]" : ")[0]");
    return;
  }
  const place = program.tree.placeOf(node);
  const isBare = place?.field === "params" && place.parent.start === node.start;
  edits.after(node.start, isBare ? "([" : "[");
  edits.before(node.end, isBare ? "])" : "]");
}
