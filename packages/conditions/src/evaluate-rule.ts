import type { CheckedAccess } from "keeplight/parts";

/**
 * Evaluates the rule from the results of its conditions; undefined if that is unknown. Unknown conditions do not
 * matter if the known ones decide.
 */
export function evaluateRule(
  rule: CheckedAccess["rule"],
  holds: (id: number) => boolean | undefined,
): boolean | undefined {
  if (rule.kind === "condition") return holds(rule.id);
  if (rule.kind === "not") {
    const inner = evaluateRule(rule.rule, holds);
    return inner === undefined ? undefined : !inner;
  }
  const decisive = rule.kind === "or";
  const parts = rule.rules.map((part) => evaluateRule(part, holds));
  if (parts.includes(decisive)) return decisive;
  return parts.includes(undefined) ? undefined : !decisive;
}
