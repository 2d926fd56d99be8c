import * as z from "zod/mini";
import { toDotPath } from "zod/v4/core";
import { type Fields, Refusal } from "../http/json.ts";
import { CHAIN_TYPES, type ChainType, type Condition, DECRYPTION_TYPES, type FileAccess } from "./condition.ts";
import { chainSchemas } from "./condition-schemas.ts";
import { parseRule, type Rule } from "./rule.ts";

const MAX_CONDITIONS = 50;
const LIST = `must be a list of 1 to ${MAX_CONDITIONS}`;

const accessSchema = z.object({
  chainType: optionalOneOf(CHAIN_TYPES),
  decryptionType: optionalOneOf(DECRYPTION_TYPES),
  aggregator: z.pipe(
    z.transform((value) => value ?? ""),
    z.string("must be a string"),
  ),
  conditions: z
    .array(z.record(z.string(), z.unknown(), "must be an object"), LIST)
    .check(z.minLength(1, LIST), z.maxLength(MAX_CONDITIONS, LIST)),
});

/**
 * Reads the conditions that a caller sets for a file.
 *
 * @param defaultType the decryption type of a request that names none.
 * @throws Refusal 400 that names the wrong field.
 */
export function readAccess(fields: Fields, defaultType: FileAccess["decryptionType"]): FileAccess {
  const { chainType, decryptionType, ...rest } = parse(accessSchema, fields);
  const access = { chainType: chainType || "EVM", decryptionType: decryptionType || defaultType, ...rest } as const;
  parseAccess(access);
  return access;
}

/**
 * Parses the conditions of a file and the rule that combines them, ready for evaluation.
 *
 * @throws Refusal 400 that names the wrong field.
 */
export function parseAccess(access: FileAccess): { conditions: readonly Condition[]; rule: Rule } {
  const conditions = access.conditions.map((fields, index) => readCondition(fields, access.chainType, index));
  const ids = new Set(conditions.map(({ id }) => id));
  if (ids.size < conditions.length) throw new Refusal(400, "conditions must have ids that differ");
  const only = conditions.length === 1 ? conditions[0] : undefined;
  if (access.aggregator.trim() !== "") return { conditions, rule: parseRule(access.aggregator, ids) };
  if (!only) throw new Refusal(400, "aggregator is required with more than one condition");
  return { conditions, rule: (holds) => holds(only.id) };
}

function readCondition(fields: Fields, chainType: ChainType, index: number): Condition {
  const path = ["conditions", index];
  const { type, condition } = chainSchemas[chainType];
  const contractType = parse(type, fields["standardContractType"], [...path, "standardContractType"]);
  return parse(condition(contractType), fields, path);
}

/** Refuses with the first problem, after the path of the field that has it. */
function parse<T>(schema: z.ZodMiniType<T>, value: unknown, path: readonly PropertyKey[] = []): T {
  const { data, error } = z.safeParse(schema, value);
  const [issue] = error?.issues ?? [];
  if (issue) throw new Refusal(400, `${toDotPath([...path, ...issue.path])} ${issue.message}`);
  return data as T;
}

/** One of `values` in any case; empty if it is missing. */
function optionalOneOf<const Value extends string>(values: readonly Value[]) {
  return z.pipe(
    z.transform((value) => (typeof value === "string" ? value.toUpperCase() : (value ?? ""))),
    z.enum([...values, ""], `must be one of ${values.join(", ")}`),
  );
}
