import type { Comparator } from "./condition.ts";
import type { Truth } from "./rule.ts";

/**
 * Whether what a chain answered (a bigint, boolean, text or list of these) stands to what was asked for as
 * `comparator` says; `undefined` if the two cannot be compared.
 *
 * Integers are exact at any size, whether asked for as a number or as a decimal or `0x` text. Truth values
 * and lists know only `==` and `!=`. The case of hex does not matter.
 */
export function meets(actual: unknown, comparator: Comparator, wanted: unknown): Truth {
  switch (comparator) {
    case "==":
      return equal(actual, wanted);
    case "!=": {
      const same = equal(actual, wanted);
      return same === undefined ? undefined : !same;
    }
    default: {
      const order = compareOrdered(actual, wanted);
      if (order === undefined) return undefined;
      return { ">": order > 0, "<": order < 0, ">=": order >= 0, "<=": order <= 0 }[comparator];
    }
  }
}

function equal(actual: unknown, wanted: unknown): Truth {
  if (Array.isArray(actual)) {
    if (!Array.isArray(wanted)) return undefined;
    if (actual.length !== wanted.length) return false;
    const parts = actual.map((item, index) => equal(item, wanted[index]));
    if (parts.includes(false)) return false;
    return parts.includes(undefined) ? undefined : true;
  }
  if (typeof actual === "boolean") {
    if (typeof wanted === "object") return undefined;
    const truth = new Map([
      ["true", true],
      ["1", true],
      ["false", false],
      ["0", false],
    ]).get(String(wanted).toLowerCase());
    return truth === undefined ? undefined : truth === actual;
  }
  const order = compareOrdered(actual, wanted);
  return order === undefined ? undefined : order === 0;
}

/** Negative, 0 or positive, as `actual` is less than, equal to or more than `wanted`. */
function compareOrdered(actual: unknown, wanted: unknown): number | undefined {
  if (typeof actual === "bigint") {
    const number = numeric(wanted);
    // a bigint and a number compare by their exact values
    return number === undefined ? undefined : Number(actual > number) - Number(actual < number);
  }
  if (typeof actual !== "string" || (typeof wanted !== "string" && typeof wanted !== "number")) return undefined;
  const texts = [actual, String(wanted)];
  const areHex = texts.every((text) => /^0x[0-9a-f]*$/i.test(text));
  const [one = "", other = ""] = areHex ? texts.map((text) => text.toLowerCase()) : texts;
  return Number(one > other) - Number(one < other);
}

function numeric(value: unknown): bigint | number | undefined {
  if (typeof value === "number") return value;
  if (typeof value !== "string" || value.trim() === "") return undefined;
  try {
    return BigInt(value);
  } catch {
    const number = Number(value);
    return Number.isFinite(number) ? number : undefined;
  }
}
