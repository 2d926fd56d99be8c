import { KeeplightError } from "../errors/base.ts";
import { nearestName } from "../errors/nearest-name.ts";

/** Refuses anything but an object whose keys are all in `known`; `path` is empty for the options themselves. */
export function checkKeys(path: string, value: unknown, known: readonly string[]): void {
  if (!isObject(value)) throw invalid(path === "" ? "options" : path, "expected an object");
  for (const key of Object.keys(value)) {
    if (known.includes(key)) continue;
    const option = path === "" ? key : `${path}.${key}`;
    throw new KeeplightError("INVALID_OPTION", `Unknown option ${option}: ${hint(key, known)}`, {
      details: { option },
    });
  }
}

/** Refuses a value that is none of `known`. */
export function checkOneOf(path: string, value: unknown, known: readonly string[]): void {
  if (known.includes(value as string)) return;
  throw invalid(path, typeof value === "string" ? `${JSON.stringify(value)}: ${hint(value, known)}` : oneOf(known));
}

/** Refuses a value that does not hold what it should; one that is left out is fine. */
export function checkOptional(path: string, value: unknown, holds: boolean, expected: string): void {
  if (value !== undefined && !holds) throw invalid(path, `expected ${expected}`);
}

/** Whether `value` is a number from `least` up. */
export function isAtLeast(value: unknown, least: number): boolean {
  return typeof value === "number" && value >= least;
}

/** Whether `value` is a whole number from `least` up to `most`. */
export function isWhole(value: unknown, least: number, most = Number.MAX_SAFE_INTEGER): boolean {
  return Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most;
}

/** Whether `value` is a plain object whose values all hold. */
export function isRecordOf(value: unknown, holds: (item: unknown) => boolean): boolean {
  return isObject(value) && Object.values(value).every(holds);
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function invalid(option: string, problem: string): KeeplightError {
  return new KeeplightError("INVALID_OPTION", `Invalid option ${option}: ${problem}`, { details: { option } });
}

function hint(given: string, known: readonly string[]): string {
  const nearest = nearestName(given, known);
  return nearest === undefined ? oneOf(known) : `did you mean ${nearest}?`;
}

function oneOf(known: readonly string[]): string {
  return `expected one of ${known.join(", ")}`;
}
