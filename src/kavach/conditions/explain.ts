import type { AggregatorRule } from "./aggregator.ts";
import type { ChainTypeOption, ConditionOf } from "./chain-types.ts";
import { type CheckedAccess, checkConditions } from "./check-conditions.ts";
import { conditionWords } from "./words.ts";

/** Options of {@link explainConditions}. */
export interface ExplainOptions<Chain extends ChainTypeOption> {
  /** Which kind of chain the conditions are about. Default `EVM`. */
  chainType?: Chain;
}

/**
 * Says in plain English who gets in by these conditions. One condition gives one sentence; several give a
 * list, one line for each with its id, indented as the aggregator groups them. Nothing is sent.
 *
 * @throws `INVALID_CONDITION`
 *
 * @example
 * explainConditions(conditions, "([1] and [2])");
 * // Access is granted if all of these hold:
 * // - [1] the number of ERC721 tokens of 0x1a… on Polygon that the requester owns is at least 1
 * // - [2] the latest block number of Polygon is greater than 50000000
 */
export function explainConditions<Chain extends ChainTypeOption = "EVM">(
  conditions: readonly ConditionOf<Chain>[],
  aggregator?: string | null,
  options: ExplainOptions<Chain> = {},
): string {
  return explainChecked(checkConditions(conditions, aggregator, options.chainType), "the requester");
}

/** {@link explainConditions} for checked ones, about `who`; `note` adds to the line of a condition. */
export function explainChecked(checked: CheckedAccess, who: string, note: (id: number) => string = () => ""): string {
  const words = conditionWords(checked, who);
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
