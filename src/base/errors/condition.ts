import { type DetailsOf, KeeplightError } from "./base.ts";
import type { ConditionProblem } from "./details/input-and-requests.ts";

/** The message names the first problem; `details.problems` has them all. */
export function invalidCondition(problems: DetailsOf<"INVALID_CONDITION">["problems"]): KeeplightError {
  const [first] = problems;
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : "";
  const message = `Condition validation error: ${describe(first)}${more}`;
  return new KeeplightError("INVALID_CONDITION", message, { details: { problems } });
}

function describe({ position, id, field, expected }: ConditionProblem): string {
  if (position === undefined) return `${field} ${expected}`;
  const which = `conditions[${position}]${id === undefined ? "" : ` (id ${id})`}`;
  return field === "" ? `${which} ${expected}` : `${which}: ${field} ${expected}`;
}
