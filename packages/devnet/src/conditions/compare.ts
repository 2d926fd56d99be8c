import type { Comparator } from "./condition.ts";
import type { Truth } from "./rule.ts";

/**
 * Compares the value read from a chain (a bigint, boolean, string or list of these) with the expected value; `undefined`
 * if the two are not comparable.
 *
 * Integers are exact at any size, whether expected as a number or as a decimal or `0x` string. Booleans and lists support
 * only `==` and `!=`. Hex is compared case-insensitively.
 */
export function compareValues(actual: unknown, comparator: Comparator, expected: unknown): Truth {
  switch (comparator) {
    case "==":
      return equal(actual, expected);
    case "!=": {
      const same = equal(actual, expected);
      return same === undefined ? undefined : !same;
    }
    default: {
      const order = compareOrdered(actual, expected);
      if (order === undefined) return undefined;
      return { ">": order > 0, "<": order < 0, ">=": order >= 0, "<=": order <= 0 }[comparator];
    }
  }
}

function equal(actual: unknown, expected: unknown): Truth {
  if (Array.isArray(actual)) {
    if (!Array.isArray(expected)) return undefined;
    if (actual.length !== expected.length) return false;
    const parts = actual.map((item, index) => equal(item, expected[index]));
    if (parts.includes(false)) return false;
    return parts.includes(undefined) ? undefined : true;
  }
  if (typeof actual === "boolean") {
    if (typeof expected === "object") return undefined;
    const truth = new Map([
      ["true", true],
      ["1", true],
      ["false", false],
      ["0", false],
    ]).get(String(expected).toLowerCase());
    return truth === undefined ? undefined : truth === actual;
  }
  const order = compareOrdered(actual, expected);
  return order === undefined ? undefined : order === 0;
}

/** Returns a negative number, 0 or a positive one, as `actual` is less than, equal to or greater than `expected`. */
function compareOrdered(actual: unknown, expected: unknown): number | undefined {
  if (typeof actual === "bigint") {
    const number = toNumber(expected);
    // a bigint and a number compare by their exact values
    return number === undefined ? undefined : Number(actual > number) - Number(actual < number);
  }
  if (typeof actual !== "string" || (typeof expected !== "string" && typeof expected !== "number")) return undefined;
  const strings = [actual, String(expected)];
  const areHex = strings.every((string) => /^0x[0-9a-f]*$/i.test(string));
  const [one = "", other = ""] = areHex ? strings.map((string) => string.toLowerCase()) : strings;
  return Number(one > other) - Number(one < other);
}

function toNumber(value: unknown): bigint | number | undefined {
  if (typeof value === "number") return value;
  if (typeof value !== "string" || value.trim() === "") return undefined;
  try {
    return BigInt(value);
  } catch {
    const number = Number(value);
    return Number.isFinite(number) ? number : undefined;
  }
}
