/** A condition as a program may pass it. */
type LooseCondition = Record<string, unknown>;

/** The options of a call that sets conditions, not checked yet. */
interface AccessRule {
  conditions: unknown;
  chainType: unknown;
  aggregator?: unknown;
}

/**
 * Converts conditions that the incumbent accepts and the kit does not, where both mean the same: numbers as strings,
 * types of arguments where there is no method of one's own to call, and an aggregator of a single condition.
 */
export function toAccessRule(conditions: unknown, aggregator: unknown, chainType: unknown): AccessRule {
  const list = Array.isArray(conditions) ? conditions.map(toCondition) : conditions;
  const combines = !Array.isArray(list) || list.length > 1;
  return { conditions: list, chainType, ...(combines && aggregator != null ? { aggregator } : {}) };
}

function toCondition(condition: unknown): unknown {
  if (typeof condition !== "object" || condition === null) return condition;
  const { inputArrayType, outputType, pdaInterface, ...rest } = condition as LooseCondition;
  const isCustom = /^custom$/i.test(String(rest["standardContractType"]));
  return {
    ...rest,
    id: toNumber(rest["id"]),
    ...(isCustom ? { inputArrayType, outputType } : {}),
    ...(pdaInterface === undefined ? {} : { pdaInterface: toPdaInterface(pdaInterface) }),
  };
}

function toPdaInterface(value: unknown): unknown {
  return typeof value === "object" && value !== null && "offset" in value
    ? { ...value, offset: toNumber(value.offset) }
    : value;
}

function toNumber(value: unknown): unknown {
  return typeof value === "string" && /^\d+$/.test(value) ? Number(value) : value;
}
