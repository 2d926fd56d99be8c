import * as z from "zod/mini";
import { MAX_ROWS } from "../config/limits.ts";

/** How each field of a row is read from an unknown value. */
type Readers<Row> = {
  [Name in keyof Row as string extends Name ? never : Name]-?: (value: unknown) => Row[Name];
};

/**
 * A JSON object with at least one of these fields. A field of another type than expected fails nothing: it is
 * converted if its meaning is unambiguous, and otherwise read as its reader defines. Other fields are kept unchanged.
 */
export function rowWith<Row>(readers: Readers<Row>): z.ZodMiniType<Row> {
  const fields = Object.entries(readers) as [string, (value: unknown) => unknown][];
  function read(row: Record<string, unknown>): Row {
    const output = { ...row };
    for (const [name, readField] of fields) {
      const value = readField(row[name]);
      if (value !== undefined) output[name] = value;
    }
    return output as Row;
  }
  const hasKnownField = (value: unknown) => isObject(value) && fields.some(([name]) => Object.hasOwn(value, name));
  return z.pipe(z.custom<Record<string, unknown>>(hasKnownField), z.transform(read));
}

/** A JSON array of at most {@link MAX_ROWS} items; keeps those that are such rows. */
export function arrayOfRows<Row>(row: z.ZodMiniType<Row>): z.ZodMiniType<Row[]> {
  const read = (items: unknown[]) =>
    items.flatMap((item) => {
      const parsed = z.safeParse(row, item);
      return parsed.success ? [parsed.data] : [];
    });
  const isShort = (value: unknown) => Array.isArray(value) && value.length <= MAX_ROWS;
  return z.pipe(z.custom<unknown[]>(isShort), z.transform(read));
}

/** Reads a string, or a number as a string (integers without an exponent). `null` for anything else. */
export function text(value: unknown): string | null {
  if (typeof value === "string") return value;
  if (typeof value !== "number" || !Number.isFinite(value)) return null;
  return Number.isInteger(value) ? BigInt(value).toString() : String(value);
}

/** Like {@link text}, with an empty string instead of `null`. */
export function requiredText(value: unknown): string {
  return text(value) ?? "";
}

/** Reads a number, or a string that holds one. `null` for anything else. */
export function number(value: unknown): number | null {
  const parsed = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof parsed === "number" && Number.isFinite(parsed) ? parsed : null;
}

/** Reads milliseconds since 1970, also from a date string. `null` for anything else, such as a number that no `Date` can have. */
export function time(value: unknown): number | null {
  const read = number(value) ?? (typeof value === "string" ? Date.parse(value) : Number.NaN);
  return Number.isNaN(new Date(read).getTime()) ? null : read;
}

/** Reads a boolean, "true", "false", 1 or 0. `null` for anything else. */
export function flag(value: unknown): boolean | null {
  if (typeof value === "boolean") return value;
  if (value === "true" || value === 1) return true;
  return value === "false" || value === 0 ? false : null;
}

/** Reads a field that may be absent. */
export function optional<Value>(read: (value: unknown) => Value): (value: unknown) => Value | undefined {
  return (value) => (value === undefined ? undefined : read(value));
}

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
  return numberThat((number) => Number.isSafeInteger(number) && number >= min, `a whole number from ${min} on`);
}

/** One of these names; `expected` describes them. */
export function oneOf<const Name extends string>(names: readonly Name[], expected: string) {
  return z.custom<Name>((value) => names.some((name) => name === value), expected);
}

/** Whether a value is an object and no array. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
