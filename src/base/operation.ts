import { KeeplightError } from "./errors/base.ts";
import { invalidOption, unknownOption } from "./errors/input.ts";

/**
 * Checks one option and returns the value that the call uses; throws a typed error, which names it `name`. It receives
 * `undefined` for an option that is left out, and accepts what it has returned.
 */
export interface Check<Resolved = unknown> {
  (value: unknown, name: string): Resolved;
  /** Set if the option is recognised by its identity: it is not copied. */
  isReference?: true;
}

/** All names of the options of a union. */
export type KeysOf<Options> = Options extends unknown ? keyof Options : never;

/** The checks and defaults of a call's options: one for each name, and no other. */
export type OptionSchema<Options = never> = { readonly [Name in KeysOf<Options>]-?: Check };

type AnySchema = Readonly<Record<string, Check>>;

/** Options that are checked, with their defaults filled in. */
export type Resolved<Schema> = {
  -readonly [Name in keyof Schema]: Schema[Name] extends Check<infer Value> ? Value : never;
};

/**
 * One public call, as the kit, its options' errors and the journal know it.
 *
 * @typeParam Options - of the call
 */
export interface Operation<Options> {
  /** Checks the options. */
  options: OptionSchema<Options>;
  /** Position of the options among the arguments. Default 1: after the subject. */
  at?: number;
  /** Options that a kit does not bind, although the call takes them. Default none. */
  unbound?: readonly string[];
}

/**
 * Resolves the options of a call: copies them, each read once as by {@link copyInput}, checks them, and fills in the
 * defaults. The call uses nothing else of its options, so that what the caller changes later has no effect. Options that
 * are `undefined` count as left out. JavaScript may leave out even an object with required options; their checks refuse
 * that.
 *
 * @throws `INVALID_OPTION` for an unknown name or anything but an object; what the checks throw
 */
export function resolveOptions<Schema extends object>(schema: Schema, options: object | undefined): Resolved<Schema> {
  const given = readOptions(schema, options);
  const resolved = Object.entries(schema).map(([name, check]) => [name, check(given.get(name), name)]);
  return Object.fromEntries(resolved);
}

/**
 * Resolves options that change those which a call has resolved before: what is left out or `undefined` keeps its value.
 *
 * @throws what {@link resolveOptions} throws
 */
export function resolveChanges<Schema extends object>(
  schema: Schema,
  changes: object | undefined,
): Partial<Resolved<Schema>> {
  const given = readOptions(schema, changes);
  const changed = Object.entries(schema).filter(([name]) => given.has(name));
  const resolved = changed.map(([name, check]) => [name, check(given.get(name), name)]);
  return Object.fromEntries(resolved);
}

/** Returns the options that the schema has, as they are. */
export function pickOptions(options: object, schema: object): object {
  return Object.fromEntries(Object.entries(options).filter(([name]) => Object.hasOwn(schema, name)));
}

/** Returns the options that the schema does not have, as they are. */
export function omitOptions(options: object, schema: object): object {
  return Object.fromEntries(Object.entries(options).filter(([name]) => !Object.hasOwn(schema, name)));
}

/** Resolves those of the options that the schema has; see {@link resolveOptions}. */
export function resolvePart<Schema extends object>(schema: Schema, options: object): Resolved<Schema> {
  return resolveOptions(schema, pickOptions(options, schema));
}

/** Whether `value` is an object that may hold options: no array and no built-in type, such as a URL. */
export function isOptions(value: unknown): value is object {
  return Object.prototype.toString.call(value) === "[object Object]";
}

/** Reads each option that is not left out, once, and copies it. */
function readOptions(schema: object, options: object | undefined): Map<string, unknown> {
  const given = new Map<string, unknown>();
  if (options === undefined) return given;
  if (!isOptions(options)) {
    // A string might be a key, and is never repeated.
    const received = Array.isArray(options) ? "a list" : options === null ? "null" : `a ${typeof options}`;
    throw new KeeplightError("INVALID_OPTION", "Invalid option options: expected an object", {
      details: { option: "options", received },
      hint: `such as { apiKey }, not ${received}`,
    });
  }
  const checks = schema as AnySchema;
  // `in` includes those that a class or a prototype holds.
  const inherited = Object.keys(checks).filter((name) => name in options);
  for (const name of new Set([...Object.keys(options), ...inherited])) {
    const value: unknown = Reflect.get(options, name);
    if (value === undefined) continue;
    const check = Object.hasOwn(checks, name) ? checks[name] : undefined;
    if (!check) throw unknownOption(name, Object.keys(checks));
    given.set(name, check.isReference ? value : copyInput(value, name));
  }
  return given;
}

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

/** A value for which `isValid` holds; `expected` describes it. */
export function valueThat<Value>(isValid: (value: unknown) => boolean, expected: string): Check<Value> {
  return (value, name) => {
    if (!isValid(value)) throw invalidOption(name, expected);
    return value as Value;
  };
}

/** A whole number from `min` to `max`, both included, or the fallback if it is left out. */
export function wholeNumber(fallback: number, min = 0, max = Number.MAX_SAFE_INTEGER): Check<number> {
  const isValid = (value: unknown) => Number.isSafeInteger(value) && Number(value) >= min && Number(value) <= max;
  const limit = max === Number.MAX_SAFE_INTEGER ? "on" : `to ${max}`;
  return withDefault(valueThat<number>(isValid, `a whole number from ${min} ${limit}`), fallback);
}

/** `true` or `false`, or the fallback if it is left out. Nothing else counts as either: "no" is truthy. */
export function boolean(fallback: boolean): Check<boolean> {
  return withDefault(
    valueThat<boolean>((value) => typeof value === "boolean", "true or false"),
    fallback,
  );
}

/** A string that is not blank. */
export const nonEmpty = valueThat<string>(
  (value) => typeof value === "string" && value.trim() !== "",
  "a non-empty string",
);

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
  return optional(valueThat<Function>((value) => typeof value === "function", "a function"));
}

/** An AbortSignal, or `undefined` if it is left out. */
export const signal = optional(
  valueThat<AbortSignal>((value) => typeof Object(value).addEventListener === "function", "an AbortSignal"),
);

/** How deep data may be nested; deeper than that of any call. */
const MAX_DEPTH = 100;

/**
 * Returns a deep copy of plain objects and arrays, which are read once: what the caller changes after a call has no effect
 * on it. Everything else is the same object: bytes, streams, files, functions, and what has methods, such as a signer.
 *
 * @throws `INVALID_OPTION` for data that contains itself
 */
export function copyInput<Value>(value: Value, name = "argument"): Value {
  const copies = new Map<unknown, unknown>();

  function copy(original: unknown, depth: number): unknown {
    if (original instanceof URL) return new URL(original);
    if (!isPlain(original)) return original;
    const earlier = copies.get(original);
    if (earlier !== undefined) return earlier;
    // It is being copied: it contains itself.
    const isCircular = copies.has(original);
    if (isCircular || depth > MAX_DEPTH) throw invalidOption(name, `data of at most ${MAX_DEPTH} levels`);
    copies.set(original, undefined);
    const copied = Array.isArray(original)
      ? Array.from(original, (item) => copy(item, depth + 1))
      : copyFields(original, (field) => copy(field, depth + 1));
    copies.set(original, copied);
    return copied;
  }

  return copy(value, 0) as Value;
}

/** Returns the object itself if it has methods. */
function copyFields(original: object, copy: (field: unknown) => unknown): object {
  const fields = Object.entries(original);
  // A library may keep its own data under a symbol, but `Symbol.asyncIterator` is a method.
  const bySymbol = Object.getOwnPropertySymbols(original).map((symbol) => original[symbol as never]);
  const hasMethods = [...fields.map(([, field]) => field), ...bySymbol].some((field) => typeof field === "function");
  return hasMethods ? original : Object.fromEntries(fields.map(([name, field]) => [name, copy(field)]));
}

/** Whether this is an array, or an object that is no instance of a class; it may be one of another realm. */
function isPlain(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
