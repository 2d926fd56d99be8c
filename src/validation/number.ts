import { invalidOption } from "../errors/input.ts";

/**
 * `value`, or `fallback` where it is undefined; throws `INVALID_OPTION` unless it is a whole number from `least` on,
 * up to `most` if that is given.
 */
export function wholeNumber(option: string, value: unknown, fallback: number, least = 0, most?: number): number {
  if (value === undefined) return fallback;
  if (typeof value !== "number" || !Number.isSafeInteger(value) || value < least || value > (most ?? value)) {
    throw invalidOption(option, `a whole number from ${least} ${most === undefined ? "on" : `to ${most}`}`);
  }
  return value;
}
