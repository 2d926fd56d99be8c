import type { Unchecked } from "../unchecked.ts";

/** A condition as a program may pass it. */
type LooseCondition = Record<string, Unchecked>;

/**
 * Converts conditions that the incumbent accepts and the kit does not, where both mean the same: numbers as strings,
 * types of arguments where there is no method of one's own to call, and an aggregator of a single condition.
 */
export function toAccessRule(conditions: Unchecked, aggregator: Unchecked, chainType: Unchecked): Unchecked {
  const list = Array.isArray(conditions) ? conditions.map(toCondition) : conditions;
  const combines = !Array.isArray(list) || list.length > 1;
  return { conditions: list, chainType, ...(combines && aggregator != null ? { aggregator } : {}) };
}

function toCondition(condition: Unchecked): Unchecked {
  if (typeof condition !== "object" || condition === null) return condition;
  const { inputArrayType, outputType, pdaInterface, ...rest }: LooseCondition = condition;
  const isCustom = /^custom$/i.test(String(rest["standardContractType"]));
  return {
    ...rest,
    id: toNumber(rest["id"]),
    ...(isCustom ? { inputArrayType, outputType } : {}),
    ...(pdaInterface === undefined ? {} : { pdaInterface: toPdaInterface(pdaInterface) }),
  };
}

function toPdaInterface(value: Unchecked): Unchecked {
  return typeof value === "object" && value !== null && "offset" in value
    ? { ...value, offset: toNumber(value.offset) }
    : value;
}

function toNumber(value: Unchecked): Unchecked {
  return typeof value === "string" && /^\d+$/.test(value) ? Number(value) : value;
}
