import { invalidOption } from "../errors/input.ts";

/** Gives a text that is not blank back; throws `INVALID_OPTION` for anything else. */
export function checkText(option: string, value: unknown): string {
  if (typeof value !== "string" || value.trim() === "") throw invalidOption(option, "a text that is not empty");
  return value;
}
