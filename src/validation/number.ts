import { invalidOption } from "../errors/input.ts";

/**
 * Returns `value`, or `fallback` if it is undefined; throws `INVALID_OPTION` unless it is a whole number from `min` to
 * `max`, which defaults to no limit.
 */
export function wholeNumber(option: string, value: unknown, fallback: number, min = 0, max?: number): number {
  if (value === undefined) return fallback;
  if (typeof value !== "number" || !Number.isSafeInteger(value) || value < min || value > (max ?? value)) {
    throw invalidOption(option, `a whole number from ${min} ${max === undefined ? "on" : `to ${max}`}`);
  }
  return value;
}
