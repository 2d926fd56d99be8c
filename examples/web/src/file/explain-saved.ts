import { type AccessConditions, type EvmCondition, explainConditions } from "keeplight";
import { isClosedRule } from "./closed-rule.ts";

/** Describes a file's conditions in English; `undefined` if there are none. */
export function explainSaved({ conditions, aggregator }: AccessConditions): string | undefined {
  if (conditions.length === 0 || isClosedRule(conditions)) return undefined;
  try {
    return explainConditions(conditions as unknown as EvmCondition[], aggregator);
  } catch {
    // Saved by another client, in a format that this one does not know.
    return JSON.stringify(conditions, undefined, 2);
  }
}
