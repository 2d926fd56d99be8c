import type { Comparator, Json } from "keeplight";
import { USER_ADDRESS } from "./explain.ts";

/** A value as read from a chain: integers of any size as bigint, addresses and bytes as hex. */
export type ChainValue = bigint | boolean | string | readonly ChainValue[];

/**
 * Compares a value from a chain with its target; undefined if the two cannot be compared.
 *
 * Integers are compared exactly, whether the target is a number, a decimal or a 0x string. Booleans and lists support
 * only `==` and `!=`. Hex strings, including addresses, are compared case-insensitively.
 */
export function compare(actual: ChainValue, comparator: Comparator, expected: Json): boolean | undefined {
  if (comparator === "==" || comparator === "!=") {
    const same = equals(actual, expected);
    return same === undefined ? undefined : same === (comparator === "==");
  }
  const order = compareOrder(actual, expected);
  if (order === undefined) return undefined;
  if (comparator === ">=") return order >= 0;
  if (comparator === "<=") return order <= 0;
  return comparator === ">" ? order > 0 : order < 0;
}

function equals(actual: ChainValue, expected: Json): boolean | undefined {
  if (typeof actual === "boolean") {
    const target = toBoolean(expected);
    return target === undefined ? undefined : actual === target;
  }
  if (typeof actual !== "object") {
    const order = compareOrder(actual, expected);
    return order === undefined ? undefined : order === 0;
  }
  if (!Array.isArray(expected)) return undefined;
  if (actual.length !== expected.length) return false;
  const same = actual.map((item, index) => equals(item, expected[index] ?? null));
  if (same.includes(false)) return false;
  return same.includes(undefined) ? undefined : true;
}

/** Negative, 0 or positive if `actual` is less than, equal to or greater than `expected`. */
function compareOrder(actual: ChainValue, expected: Json): number | undefined {
  if (typeof actual === "bigint") {
    const number = toNumber(expected);
    if (number === undefined) return undefined;
    return actual < number ? -1 : actual > number ? 1 : 0;
  }
  if (typeof actual !== "string" || (typeof expected !== "string" && typeof expected !== "number")) return undefined;
  const [left, right] = normalizeHexCase(actual, String(expected));
  return left < right ? -1 : left > right ? 1 : 0;
}

/** Parses integers exactly, and fractions as the nearest number. */
function toNumber(value: Json): bigint | number | undefined {
  if (typeof value === "number") return value;
  if (typeof value !== "string") return undefined;
  const text = value.trim();
  if (/^([+-]?\d+|0x[0-9a-f]+)$/i.test(text)) return BigInt(text);
  const number = Number(text);
  return text === "" || !Number.isFinite(number) ? undefined : number;
}

function toBoolean(value: Json): boolean | undefined {
  if (typeof value === "object") return undefined;
  const text = String(value).toLowerCase();
  if (text === "true" || text === "1") return true;
  return text === "false" || text === "0" ? false : undefined;
}

function normalizeHexCase(left: string, right: string): [string, string] {
  const hex = /^0x[0-9a-f]*$/i;
  return hex.test(left) && hex.test(right) ? [left.toLowerCase(), right.toLowerCase()] : [left, right];
}

/** The values of the `:name`s of a condition: `userAddress` and the dynamic data, by name without colon. */
export type Placeholders = ReadonlyMap<string, Json>;

/** Collects the requester's address and the dynamic data, whose names may have their colon or not. */
export function createPlaceholders(address: string, dynamicData: Readonly<Record<string, Json>>): Placeholders {
  const dynamic = Object.entries(dynamicData).map(([name, value]) => [name.replace(/^:/, ""), value] as const);
  return new Map([...dynamic, [USER_ADDRESS.slice(1), address] as const]);
}

/** Replaces every `:name` in a value, at any depth of its lists; names without a value are kept. */
export function fillPlaceholders(value: Json, placeholders: Placeholders): Json {
  if (Array.isArray(value)) return value.map((item) => fillPlaceholders(item, placeholders));
  const name = readName(value);
  return name === undefined ? value : (placeholders.get(name) ?? value);
}

/** Finds the first `:name` that is still in a value; undefined if there is none. */
export function findUnfilledName(value: Json): string | undefined {
  return Array.isArray(value) ? value.map(findUnfilledName).find((name) => name !== undefined) : readName(value);
}

function readName(value: Json): string | undefined {
  return typeof value === "string" ? /^:(\w+)$/.exec(value)?.[1] : undefined;
}
