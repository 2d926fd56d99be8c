import { invalidOption } from "../errors/input.ts";

/** `value`, or `fallback` where it is undefined; throws `INVALID_OPTION` unless it is a whole number from `least` on. */
export function wholeNumber(option: string, value: unknown, fallback: number, least = 0): number {
  if (value === undefined) return fallback;
  if (typeof value !== "number" || !Number.isSafeInteger(value) || value < least) {
    throw invalidOption(option, `a whole number from ${least} on`);
  }
  return value;
}
