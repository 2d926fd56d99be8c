import * as z from "zod/mini";
import { invalidCondition } from "../../base/errors/condition.ts";
import type { ConditionProblem } from "../../base/errors/facts.ts";
import { type AggregatorRule, checkAggregator } from "./aggregator.ts";
import { type ChainType, type CheckedConditions, checkChainType, conditionKinds } from "./chain-types.ts";

/** Conditions and the rule that combines them, both checked. */
export type CheckedAccess = CheckedConditions & {
  /** As passed by the caller; undefined if a single condition needs none. */
  aggregator: string | undefined;
  rule: AggregatorRule;
};

/**
 * Checks access conditions: every condition by the rules of its chain type, the ids, and the aggregator.
 *
 * @throws `INVALID_CONDITION`, whose `details.problems` lists every invalid condition and field
 */
export function checkConditions(conditions: unknown, aggregator: unknown, chainType: unknown): CheckedAccess {
  const chain = checkChainType(chainType);
  if (!Array.isArray(conditions) || conditions.length === 0) {
    throw invalidCondition([{ field: "conditions", expected: "must be an array of at least one condition" }]);
  }
  const problems: ConditionProblem[] = [];
  const checked = Array.from(conditions, (condition: unknown, position) => {
    const { value, problems: found } = checkCondition(chain, condition);
    const id = readId(condition);
    problems.push(...found.map((problem) => ({ position, ...(id === undefined ? {} : { id }), ...problem })));
    return value;
  });
  problems.push(...findRepeatedIds(conditions));
  const [first, ...others] = problems;
  if (first) throw invalidCondition([first, ...others]);

  const list = { chainType: chain, conditions: checked } as CheckedConditions;
  const ids = list.conditions.map(({ id }) => id);
  return { ...list, ...checkAggregator(aggregator, ids) };
}

type FieldProblem = Pick<ConditionProblem, "field" | "expected">;

function checkCondition(chain: ChainType, condition: unknown): { value?: unknown; problems: readonly FieldProblem[] } {
  if (typeof condition !== "object" || condition === null || Array.isArray(condition)) {
    return { problems: [{ field: "", expected: "must be an object" }] };
  }
  const { getSchema, expectedType } = conditionKinds[chain];
  const type = "standardContractType" in condition ? condition.standardContractType : undefined;
  const schema = getSchema(type);
  if (!schema) return { problems: [{ field: "standardContractType", expected: expectedType }] };
  const parsed = z.safeParse(schema, condition);
  if (parsed.success) return { value: parsed.data, problems: [] };
  return {
    problems: parsed.error.issues.flatMap((issue) => {
      const paths = issue.code === "unrecognized_keys" ? issue.keys.map((key) => [...issue.path, key]) : [issue.path];
      return paths.map((path) => ({ field: formatPath(path), expected: issue.message }));
    }),
  };
}

/** Formats `["parameters", 1]` as `parameters[1]`. */
function formatPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>((name, part) => {
    if (typeof part === "number") return `${name}[${part}]`;
    return name === "" ? String(part) : `${name}.${String(part)}`;
  }, "");
}

function readId(condition: unknown): number | undefined {
  const id = typeof condition === "object" && condition !== null && "id" in condition ? condition.id : undefined;
  return typeof id === "number" ? id : undefined;
}

function findRepeatedIds(conditions: readonly unknown[]): ConditionProblem[] {
  const first = new Map<number, number>();
  return conditions.flatMap((condition, position) => {
    const id = readId(condition);
    if (id === undefined) return [];
    const earlier = first.get(id);
    if (earlier === undefined) {
      first.set(id, position);
      return [];
    }
    return [{ position, id, field: "id", expected: `must be unique, and conditions[${earlier}] has the same` }];
  });
}
