import { invalidOption } from "../errors/input.ts";

/** Returns a string that is not blank; throws `INVALID_OPTION` for anything else. */
export function checkText(option: string, value: unknown): string {
  if (typeof value !== "string" || value.trim() === "") throw invalidOption(option, "a non-empty string");
  return value;
}
