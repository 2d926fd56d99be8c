import { invalidOption, unknownOption } from "../errors/input.ts";

/**
 * Names of options: comma-separated, or a list of such lists. Only strings and arrays, which bundlers drop if the call
 * that they belong to is not used.
 */
export type OptionNames = string | readonly OptionNames[];

type Split<Names extends string> = Names extends `${infer First},${infer Rest}` ? First | Split<Rest> : Names;
type NamesIn<Names> = Names extends string
  ? Split<Names>
  : Names extends readonly (infer Item)[]
    ? NamesIn<Item>
    : never;
export type KeysOf<Options> = Options extends unknown ? keyof Options : never;

/** `Names` if they are exactly the options' names; otherwise a type that names the missing or superfluous ones. */
type Exactly<Options, Names> = [KeysOf<Options>] extends [NamesIn<Names>]
  ? [NamesIn<Names>] extends [KeysOf<Options>]
    ? Names
    : { notAnOption: Exclude<NamesIn<Names>, KeysOf<Options>> }
  : { missing: Exclude<KeysOf<Options>, NamesIn<Names>> };

/**
 * Checks the shape of an options object before anything else: only known names, listeners are functions,
 * `signal` is an AbortSignal. Options that are `undefined` count as left out.
 *
 * Returns the options. JavaScript may leave out even an object with required options; it gets an empty one, so that the
 * call throws the same error as for an object without them.
 *
 * @param names - the compiler refuses a list that is not exactly that of the options' type
 * @throws `INVALID_OPTION`
 */
export function checkOptions<Options extends object, const Names extends OptionNames>(
  options: Options | undefined,
  names: Names & Exactly<Options, Names>,
): Options {
  if (options === undefined) return {} as Options;
  if (!isOptions(options)) throw invalidOption("options", "an object");
  const known = listNames(names);
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) continue;
    if (!known.includes(name)) throw unknownOption(name, known);
    if (/^on[A-Z]/.test(name) && typeof value !== "function") throw invalidOption(name, "a function");
    if (name === "signal" && typeof value?.addEventListener !== "function") {
      throw invalidOption(name, "an AbortSignal");
    }
  }
  return options;
}

/** Returns the options that have one of these names. */
export function pickOptions(options: object, names: OptionNames): object {
  const known = listNames(names);
  return Object.fromEntries(Object.entries(options).filter(([name]) => known.includes(name)));
}

/** Whether `value` is an object that may hold options: no array and no built-in type, such as a URL. */
export function isOptions(value: unknown): value is object {
  return Object.prototype.toString.call(value) === "[object Object]";
}

/** Returns each name once. A nested array converts to a string of all its items, joined by commas. */
function listNames(names: OptionNames): string[] {
  return [...new Set(String(names).split(","))];
}
