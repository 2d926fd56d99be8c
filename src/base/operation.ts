import { copyInput } from "./copy-input.ts";
import { optionsNotAnObject, unknownOption } from "./errors/input.ts";

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
  const checks = Object.entries(schema).filter(([name]) => given.has(name));
  return Object.fromEntries(checks.map(([name, check]) => [name, check(given.get(name), name)])) as Partial<
    Resolved<Schema>
  >;
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
  if (!isOptions(options)) throw optionsNotAnObject(options);
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
