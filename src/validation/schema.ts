import * as z from "zod/mini";

// Each kind of check that zod has is code which every page loads whose calls read answers by zod: one kind does for all.

/** A text that this pattern matches; `error` says what is expected of it. */
export function textLike(pattern: RegExp, error?: string) {
  return z.custom<string>((value) => typeof value === "string" && pattern.test(value), error);
}

/** A number that this holds of; `error` says what is expected of it. */
export function numberThat(holds: (number: number) => boolean, error?: string) {
  return z.custom<number>((value) => typeof value === "number" && holds(value), error);
}

/** A whole number in the range in which there is no other of the same value. */
export function wholeFrom(least: number, error?: string) {
  return numberThat((number) => Number.isSafeInteger(number) && number >= least, error);
}
