import { explainConditions } from "@keeplight/conditions";
import type { AccessConditions, EvmCondition } from "keeplight";
import { isClosedRule } from "./closed-rule.ts";

/** Describes a file's conditions in English; `undefined` if there are none. */
export function explainSaved({ conditions, conditionsSolana, aggregator }: AccessConditions): string | undefined {
  // The kit explains conditions of one kind of chain at a time.
  if (conditionsSolana.length > 0) return JSON.stringify([...conditions, ...conditionsSolana], undefined, 2);
  if (conditions.length === 0 || isClosedRule(conditions)) return undefined;
  try {
    return explainConditions(conditions as unknown as EvmCondition[], aggregator);
  } catch {
    // Saved by another client, in a format that this one does not know.
    return JSON.stringify(conditions, undefined, 2);
  }
}
