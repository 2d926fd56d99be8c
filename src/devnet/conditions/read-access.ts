import { type Fields, Refusal } from "../http/json.ts";
import { CHAIN_TYPES, type Condition, DECRYPTION_TYPES, type FileAccess } from "./condition.ts";
import { readCondition } from "./read-condition.ts";
import { type Rule, readRule } from "./rule.ts";

/** Conditions of the longest list that is kept. */
const MOST_CONDITIONS = 50;

/**
 * Reads what a caller wants of those who may open a file.
 *
 * @param otherwise the decryption type where none is named.
 * @throws Refusal 400 that says what is wrong.
 */
export function readAccess(fields: Fields, otherwise: FileAccess["decryptionType"]): FileAccess {
  const access: FileAccess = {
    chainType: word("chainType", fields["chainType"], CHAIN_TYPES, "EVM"),
    decryptionType: word("decryptionType", fields["decryptionType"], DECRYPTION_TYPES, otherwise),
    aggregator: text("aggregator", fields["aggregator"]),
    conditions: objects(fields["conditions"]),
  };
  parseAccess(access);
  return access;
}

/**
 * The conditions of a file and the rule that joins them, ready for evaluation.
 *
 * @throws Refusal 400 that says what is wrong.
 */
export function parseAccess(access: FileAccess): { conditions: readonly Condition[]; rule: Rule } {
  const conditions = access.conditions.map((fields, index) => readCondition(fields, access.chainType, index));
  const ids = new Set(conditions.map(({ id }) => id));
  if (ids.size < conditions.length) throw new Refusal(400, "conditions must have ids that differ");
  const only = conditions.length === 1 ? conditions[0] : undefined;
  if (access.aggregator.trim() !== "") return { conditions, rule: readRule(access.aggregator, ids) };
  if (!only) throw new Refusal(400, "aggregator is required with more than one condition");
  return { conditions, rule: (holds) => holds(only.id) };
}

/** One of `words` in any case; `otherwise` where there is none. */
function word<Word extends string>(field: string, value: unknown, words: readonly Word[], otherwise: Word): Word {
  const given = text(field, value);
  if (given === "") return otherwise;
  const found = words.find((each) => each === given.toUpperCase());
  if (found === undefined) throw new Refusal(400, `${field} must be one of ${words.join(", ")}`);
  return found;
}

function text(field: string, value: unknown): string {
  if (value === undefined || value === null) return "";
  if (typeof value !== "string") throw new Refusal(400, `${field} must be a text`);
  return value;
}

function objects(value: unknown): Fields[] {
  const list: unknown[] = Array.isArray(value) ? value : [];
  if (list.length === 0 || list.length > MOST_CONDITIONS) {
    throw new Refusal(400, `conditions must be a list of 1 to ${MOST_CONDITIONS}`);
  }
  return list.map((item, index) => {
    if (typeof item === "object" && item !== null && !Array.isArray(item)) return item as Fields;
    throw new Refusal(400, `conditions[${index}] must be an object`);
  });
}
