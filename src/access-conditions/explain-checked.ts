import type { AggregatorRule } from "./aggregator.ts";
import type { CheckedAccess } from "./check-conditions.ts";
import { describeCondition } from "./describe.ts";

/** Says in plain English when `who` gets in by checked conditions; `note` adds to the line of a condition. */
export function explainChecked(checked: CheckedAccess, who: string, note: (id: number) => string = () => ""): string {
  const words = describeCondition(checked, who);
  const say = (id: number): string => `${words.get(id)}${note(id)}`;
  const { rule } = checked;
  if (rule.kind === "condition") return `Access is granted if ${say(rule.id)}.`;
  return `Access is granted if ${lines(rule, say).join("\n")}`;
}

const INDENT = "  ";

/** A rule as lines: what is to hold, and below it its parts. */
function lines(rule: AggregatorRule, say: (id: number) => string): string[] {
  if (rule.kind === "condition") return [`[${rule.id}] ${say(rule.id)}`];
  if (rule.kind !== "not") {
    const what = rule.kind === "and" ? "all of these hold:" : "at least one of these holds:";
    return [what, ...rule.rules.flatMap((part) => listed(lines(part, say)))];
  }
  const { rule: inner } = rule;
  if (inner.kind === "not") return lines(inner.rule, say);
  if (inner.kind === "condition") return ["this does not hold:", ...listed(lines(inner, say))];
  const what = inner.kind === "and" ? "not all of these hold:" : "none of these holds:";
  return [what, ...inner.rules.flatMap((part) => listed(lines(part, say)))];
}

/** Lines as one item of a list. */
function listed([first = "", ...rest]: readonly string[]): string[] {
  return [`- ${first}`, ...rest.map((line) => `${INDENT}${line}`)];
}
