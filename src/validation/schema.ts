import * as z from "zod/mini";

// Each kind of check in zod adds code to every page that reads responses by zod: `custom` alone covers all cases.

/** A string that matches the pattern; `error` describes what is expected. */
export function textLike(pattern: RegExp, error?: string) {
  return z.custom<string>((value) => typeof value === "string" && pattern.test(value), error);
}

/** A number for which `isValid` holds; `error` describes what is expected. */
export function numberThat(isValid: (number: number) => boolean, error?: string) {
  return z.custom<number>((value) => typeof value === "number" && isValid(value), error);
}

/** A safe integer from `min` on. */
export function wholeFrom(min: number, error?: string) {
  return numberThat((number) => Number.isSafeInteger(number) && number >= min, error);
}
