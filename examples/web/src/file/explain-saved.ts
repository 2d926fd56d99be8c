import { type AccessConditions, type EvmCondition, explainConditions } from "keeplight";

/** The conditions that are set on a file, in English; nothing where there are none. */
export function explainSaved({ conditions, aggregator }: AccessConditions): string | undefined {
  if (conditions.length === 0) return undefined;
  try {
    return explainConditions(conditions as unknown as EvmCondition[], aggregator);
  } catch {
    // Set by another client, in words this one does not know.
    return JSON.stringify(conditions, undefined, 2);
  }
}
