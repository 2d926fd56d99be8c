import { invalidOption } from "./errors/input.ts";
import type { Check } from "./operation.ts";

/** A check of an option that may be left out, and has no default. */
export function optional<Value>(check: Check<Value>): Check<Value | undefined> {
  return Object.assign(
    (value: unknown, name: string) => (value === undefined ? undefined : check(value, name)),
    check.isReference ? { isReference: true as const } : {},
  );
}

/** A check of an option that is `fallback` if it is left out. */
export function withDefault<Value>(check: Check<Value>, fallback: Value): Check<Value> {
  return (value, name) => (value === undefined ? fallback : check(value, name));
}

/** An option that is recognised by its identity, and checked where it is used: a wallet, a journal. */
export function reference<Value>(): Check<Value | undefined> {
  return Object.assign((value: unknown) => value as Value | undefined, { isReference: true as const });
}

/** An option that is checked where it is used. */
export function unchecked<Value>(): Check<Value | undefined> {
  return (value) => value as Value | undefined;
}

/** Data for a JSON request: copied as it is transmitted. */
export function json<Value>(): Check<Value | undefined> {
  const copy: Check<Value | undefined> = (value, name) => {
    try {
      return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
    } catch {
      throw invalidOption(name, "values that JSON can transmit");
    }
  };
  return Object.assign(copy, { isReference: true as const });
}

/** A whole number from `min` to `max`, both included, or the fallback if it is left out. */
export function wholeNumber(fallback: number, min = 0, max = Number.MAX_SAFE_INTEGER): Check<number> {
  return (value, name) => {
    if (value === undefined) return fallback;
    if (typeof value === "number" && Number.isSafeInteger(value) && value >= min && value <= max) return value;
    const limit = max === Number.MAX_SAFE_INTEGER ? "on" : `to ${max}`;
    throw invalidOption(name, `a whole number from ${min} ${limit}`);
  };
}

/** `true` or `false`, or the fallback if it is left out. Nothing else counts as either: "no" is truthy. */
export function boolean(fallback: boolean): Check<boolean> {
  return (value = fallback, name) => {
    if (typeof value !== "boolean") throw invalidOption(name, "true or false");
    return value;
  };
}

/** A string that is not blank. */
export const nonEmpty: Check<string> = (value, name) => {
  if (typeof value !== "string" || value.trim() === "") throw invalidOption(name, "a non-empty string");
  return value;
};

/** One of these strings; an option without a fallback is required, or {@link optional}. */
export function oneOf<const Value extends string>(values: readonly Value[], fallback?: Value): Check<Value> {
  return (value = fallback, name) => {
    const found = values.find((one) => one === value);
    if (found !== undefined) return found;
    const quoted = values.map((one) => `"${one}"`);
    throw invalidOption(name, [quoted.slice(0, -1).join(", "), quoted.at(-1)].join(" or "));
  };
}

/** A function, or `undefined` if it is left out. */
export function callback<Function>(): Check<Function | undefined> {
  return (value, name) => {
    if (value !== undefined && typeof value !== "function") throw invalidOption(name, "a function");
    return value as Function | undefined;
  };
}

/** An AbortSignal, or `undefined` if it is left out. */
export const signal: Check<AbortSignal | undefined> = (value, name) => {
  if (value === undefined) return undefined;
  const isSignal = typeof (value as Partial<AbortSignal> | null)?.addEventListener === "function";
  if (!isSignal) throw invalidOption(name, "an AbortSignal");
  return value as AbortSignal;
};
