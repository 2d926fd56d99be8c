import fc from "fast-check";
import type { AggregatorRule } from "../../src/keys/conditions/aggregator.ts";

/** The ids of the conditions of {@link rules}. */
export const ids = [1, 2, 3, 4];

/** Formats the rule with brackets around every part, so that the string has exactly the shape of the rule. */
export function formatRule(rule: AggregatorRule): string {
  if (rule.kind === "condition") return `[${rule.id}]`;
  if (rule.kind === "not") return `!${addBrackets(rule.rule)}`;
  return rule.rules.map(addBrackets).join(` ${rule.kind} `);
}

function addBrackets(rule: AggregatorRule): string {
  return rule.kind === "condition" || rule.kind === "not" ? formatRule(rule) : `(${formatRule(rule)})`;
}

const { part } = fc.letrec<{ part: AggregatorRule; leaf: AggregatorRule; not: AggregatorRule; many: AggregatorRule }>(
  (tie) => ({
    part: fc.oneof({ depthSize: "small", withCrossShrink: true }, tie("leaf"), tie("not"), tie("many")),
    leaf: fc.constantFrom(...ids).map((id) => ({ kind: "condition", id })),
    not: tie("part").map((rule) => ({ kind: "not", rule })),
    many: fc
      .record({ kind: fc.constantFrom("and", "or"), rules: fc.array(tie("part"), { minLength: 2, maxLength: 4 }) })
      .map(({ kind, rules }) => ({ kind, rules })),
  }),
);
const all: AggregatorRule = { kind: "or", rules: ids.map((id) => ({ kind: "condition", id })) };
/** Rules of any shape; each ends in a part that mentions all four conditions, because all must be mentioned. */
export const rules = part.map((rule): AggregatorRule => ({ kind: "and", rules: [rule, all] }));
