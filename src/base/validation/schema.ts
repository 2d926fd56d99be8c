import * as z from "zod/mini";

/** A string that matches the pattern; `expected` describes it. */
export function textLike(pattern: RegExp, expected?: string) {
  return z.custom<string>((value) => typeof value === "string" && pattern.test(value), expected);
}

/** A number for which `isValid` holds; `expected` describes it. */
export function numberThat(isValid: (number: number) => boolean, expected?: string) {
  return z.custom<number>((value) => typeof value === "number" && isValid(value), expected);
}

/** A safe integer from `min` on. */
export function wholeFrom(min: number) {
  return numberThat((number) => Number.isSafeInteger(number) && number >= min);
}

/** One of these names; `expected` describes them. */
export function oneOf<const Name extends string>(names: readonly Name[], expected: string) {
  return z.custom<Name>((value) => names.some((name) => name === value), expected);
}

/** Whether a value is an object and no array. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
