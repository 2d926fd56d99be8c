import { ByHand } from "../by-hand.ts";
import { argumentOf, type Call } from "../call.ts";
import type { Edits } from "../edits.ts";
import { isType, keyOf, listOf, type Node, nameOf } from "../syntax/node.ts";
import { stripParentheses } from "../syntax/tree.ts";
import type { Converted, Parameter, Rule } from "../table/types.ts";
import { refuseReordering } from "./order.ts";

/** An argument with what becomes of it. */
interface Item {
  parameter: Parameter;
  node: Node;
  converted: Converted;
}

/** Changes the arguments of a call to those of the kit: the first one, and options by name. Throws `ByHand`. */
export function rewriteArguments(call: Call, { parameters }: Rule, edits: Edits): void {
  const all = listOf(call.node, "arguments");
  refuseUnclear(call, all, parameters);
  const items = parameters.flatMap((parameter, index): Item[] => {
    const node = all[index];
    if (!node) return [];
    const isMissing = parameter.missing !== undefined && !argumentOf(call, index);
    return [{ parameter, node, converted: isMissing ? "drop" : (parameter.convert?.(call, index) ?? {}) }];
  });
  const added = parameters.flatMap(({ missing }, index) =>
    missing === undefined || argumentOf(call, index) ? [] : [missing],
  );
  for (const item of items) if (item.converted === "drop") removeArgument(call, all, item.node, edits);
  const kept = items.filter(({ converted }) => converted !== "drop");
  const subject = kept.find(({ parameter }) => parameter.option === undefined);
  if (subject && subject !== kept[0]) moveFirst(call, subject.node, kept, edits);
  for (const item of kept) convert(call, item, edits);
  wrapOptions(
    call,
    subject?.node,
    kept.filter((item) => item !== subject).map(({ node }) => node),
    added,
    edits,
  );
}

function refuseUnclear({ node }: Call, all: readonly Node[], parameters: readonly Parameter[]): void {
  if (node["typeParameters"] || node["typeArguments"]) throw new ByHand("it has type arguments");
  const spread = all.find((each) => isType(each, "SpreadElement"));
  if (spread) throw new ByHand("its arguments are spread from a list", spread);
  if (all.length > parameters.length) throw new ByHand("it has more arguments than parameters", all[parameters.length]);
  const lacking = parameters.find(({ optional }, index) => !optional && isMissing(all[index]));
  if (lacking) throw new ByHand(`its argument ${lacking.name} is missing`);
}

function isMissing(node: Node | undefined): boolean {
  return node === undefined || nameOf(stripParentheses(node)) === "undefined";
}

function removeArgument({ program }: Call, all: readonly Node[], node: Node, edits: Edits): void {
  const previous = all[all.indexOf(node) - 1];
  if (!previous) throw new ByHand("its first argument has no meaning to keeplight", node);
  program.refuseComments(previous.end, node.end);
  edits.remove(previous.end, node.end);
}

function moveFirst({ program }: Call, subject: Node, kept: readonly Item[], edits: Edits): void {
  const nodes = kept.map(({ node }) => node);
  const at = nodes.indexOf(subject);
  const [first] = nodes;
  const previous = nodes[at - 1];
  if (!first || !previous) return;
  refuseReordering(program, subject, nodes.slice(0, at));
  program.refuseComments(previous.end, subject.start);
  edits.remove(previous.end, subject.start);
  edits.move(subject.start, subject.end, first.start);
}

function convert({ program }: Call, { parameter, node, converted }: Item, edits: Edits): void {
  const { option } = parameter;
  if (converted === "drop") return;
  if ("spread" in converted) {
    const properties = listOf(node, "properties");
    program.refuseComments(node.start, properties[0]?.start ?? node.end);
    program.refuseComments(properties.at(-1)?.end ?? node.start, node.end);
    edits.remove(node.start, properties[0]?.start ?? node.end);
    edits.remove(properties.at(-1)?.end ?? node.end, node.end);
    for (const { property, prefix, suffix } of converted.spread) {
      const name = property["shorthand"] === true ? `${keyOf(property)}: ` : "";
      edits.before((property["value"] as Node).start, `${name}${prefix}`);
      edits.after(property.end, suffix);
    }
    return;
  }
  if ("text" in converted) {
    program.refuseComments(node.start, node.end);
    edits.replace(node.start, node.end, converted.text);
    return;
  }
  const { prefix = "", suffix = "", name = option } = converted;
  const isShort = name === nameOf(node) && prefix === "" && suffix === "";
  edits.before(node.start, name === undefined || isShort ? prefix : `${name}: ${prefix}`);
  edits.after(node.end, suffix);
}

/** Puts all but the first argument into an object. */
function wrapOptions(
  { program }: Call,
  subject: Node | undefined,
  options: readonly Node[],
  added: readonly string[],
  edits: Edits,
): void {
  const [first, ...others] = options;
  const last = options.at(-1);
  if (first && last) {
    const isMoved = subject !== undefined && subject.start > first.start;
    // If the first argument was moved, the comma after it has to be added.
    if (isMoved) edits.after(subject.end, ", ");
    const indent = isMoved ? undefined : findIndent(program.text, first);
    const separator = indent === undefined ? ", " : `,\n${indent}  `;
    for (const each of others) if (indent !== undefined) edits.before(each.start, indentOf(program.text, each));
    edits.before(first.start, indent === undefined ? "{ " : `{\n${indent}  `);
    edits.after(
      last.end,
      `${added.map((each) => separator + each).join("")}${indent === undefined ? " }" : `,\n${indent}}`}`,
    );
  } else if (subject && added.length > 0) {
    edits.after(subject.end, `, { ${added.join(", ")} }`);
  }
}

/** Returns the white space in front of an argument that starts a line. */
function findIndent(text: string, node: Node): string | undefined {
  return /(?:^|\n)([ \t]*)$/.exec(text.slice(0, node.start))?.[1];
}

/** Two more spaces for an argument that starts a line. */
function indentOf(text: string, node: Node): string {
  return findIndent(text, node) === undefined ? "" : "  ";
}
