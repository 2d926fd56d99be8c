import { KeeplightError } from "../errors/base.ts";

/** One thing that is wrong with access conditions. */
export interface ConditionProblem {
  /** Place in the list of conditions, from 0; missing where the problem is not one condition's. */
  position?: number;
  /** The condition's id, where it has one. */
  id?: number;
  /** What is wrong: a field of the condition, such as `returnValueTest.comparator`, or of the call. */
  field: string;
  /** What is expected of it: "must be …". */
  expected: string;
}

/** `INVALID_CONDITION` 'Condition validation error: {detail}' with the first problem; `details.problems` has them all. */
export function invalidCondition(problems: readonly ConditionProblem[]): KeeplightError {
  const [first] = problems;
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : "";
  const detail = first === undefined ? "unknown" : `${describe(first)}${more}`;
  return new KeeplightError("INVALID_CONDITION", `Condition validation error: ${detail}`, { details: { problems } });
}

function describe({ position, id, field, expected }: ConditionProblem): string {
  if (position === undefined) return `${field} ${expected}`;
  const which = `conditions[${position}]${id === undefined ? "" : ` (id ${id})`}`;
  return field === "" ? `${which} ${expected}` : `${which}: ${field} ${expected}`;
}
