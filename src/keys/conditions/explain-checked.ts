import type { AggregatorRule } from "./aggregator.ts";
import type { CheckedAccess } from "./check-conditions.ts";
import { describeConditions } from "./describe.ts";
import type { Unit } from "./units.ts";

/**
 * Explains in plain English when `who` is granted access; `note` adds to the line of a condition, and `units` are what
 * conditions are known to count in, by their ids.
 */
export function explainChecked(
  checked: CheckedAccess,
  who: string,
  { note = () => "", units }: { note?: (id: number) => string; units?: ReadonlyMap<number, Unit> } = {},
): string {
  const descriptions = describeConditions(checked, who, units);
  const describe = (id: number): string => `${descriptions.get(id)}${note(id)}`;
  const { rule } = checked;
  if (rule.kind === "condition") return `Access is granted if ${describe(rule.id)}.`;
  return `Access is granted if ${toLines(rule, describe).join("\n")}`;
}

const INDENT = "  ";

/** Formats a rule as lines: what must hold, and its parts below it. */
function toLines(rule: AggregatorRule, describe: (id: number) => string): string[] {
  if (rule.kind === "condition") return [`[${rule.id}] ${describe(rule.id)}`];
  if (rule.kind !== "not") {
    const heading = rule.kind === "and" ? "all of these hold:" : "at least one of these holds:";
    return [heading, ...rule.rules.flatMap((part) => toListItem(toLines(part, describe)))];
  }
  const { rule: inner } = rule;
  if (inner.kind === "not") return toLines(inner.rule, describe);
  if (inner.kind === "condition") return ["this does not hold:", ...toListItem(toLines(inner, describe))];
  const heading = inner.kind === "and" ? "not all of these hold:" : "none of these holds:";
  return [heading, ...inner.rules.flatMap((part) => toListItem(toLines(part, describe)))];
}

/** Formats lines as one list item. */
function toListItem([first = "", ...rest]: readonly string[]): string[] {
  return [`- ${first}`, ...rest.map((line) => `${INDENT}${line}`)];
}
