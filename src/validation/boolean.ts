import { invalidOption } from "../errors/input.ts";

/** Throws `INVALID_OPTION` unless `value` is a boolean or `undefined`: "no" is truthy. */
export function checkBoolean(option: string, value: unknown): void {
  if (value !== undefined && typeof value !== "boolean") throw invalidOption(option, "true or false");
}
