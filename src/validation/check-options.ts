import { reference, unchecked } from "../base/checks.ts";
import { copyInput } from "../base/copy-input.ts";
import { type Check, isOptions, type KeysOf } from "../base/operation.ts";
import { invalidOption, optionsNotAnObject, unknownOption } from "../errors/input.ts";

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
 * Returns a copy of the options, each read once, as by {@link copyInput}: a call uses nothing else of its options, so
 * that what the caller changes later has no effect. JavaScript may leave out even an object with required options; it
 * gets an empty one, so that the call throws the same error as for an object without them.
 *
 * @param names - the compiler refuses a list that is not exactly that of the options' type
 * @throws `INVALID_OPTION`
 */
export function checkOptions<Options extends object, const Names extends OptionNames>(
  options: Options | undefined,
  names: Names & Exactly<Options, Names>,
): Options {
  if (options === undefined) return {} as Options;
  if (!isOptions(options)) throw optionsNotAnObject(options);
  const known = listNames(names);
  const copy: Record<string, unknown> = {};
  // `in` includes those that a class or a prototype holds.
  for (const name of new Set([...Object.keys(options), ...known.filter((name) => name in options)])) {
    const value = copyOption(name, options[name as never]);
    if (known.includes(name)) copy[name] = value;
    if (value === undefined) continue;
    if (!known.includes(name)) throw unknownOption(name, known);
    if (/^on[A-Z]/.test(name) && typeof value !== "function") throw invalidOption(name, "a function");
    if (name === "signal" && typeof (value as Partial<AbortSignal> | null)?.addEventListener !== "function") {
      throw invalidOption(name, "an AbortSignal");
    }
  }
  return copy as Options;
}

/**
 * Returns a copy of options that are checked later, by code that is still to be loaded. Anything but an object is
 * returned unchanged, and refused then.
 */
export function copyOptions<Options>(options: Options): Options {
  if (!isOptions(options)) return options;
  return Object.fromEntries(Object.entries(options).map(([name, value]) => [name, copyOption(name, value)])) as Options;
}

/** Wallets, journals and ledgers are recognised by their identity. */
function copyOption(name: string, value: unknown): unknown {
  if (name === "signer" || name === "journal" || name === "ledger") return value;
  if (name === "upload") return copyOptions(value);
  return name === "dynamicData" ? copyJson(name, value) : copyInput(value, name);
}

/** Copies a value as JSON transmits it; throws `INVALID_OPTION` for what JSON cannot. */
function copyJson(name: string, value: unknown): unknown {
  try {
    return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
  } catch {
    throw invalidOption(name, "values that JSON can transmit");
  }
}

/** Returns the options that have one of these names. */
export function pickOptions(options: object, names: OptionNames): object {
  const known = listNames(names);
  return Object.fromEntries(Object.entries(options).filter(([name]) => known.includes(name)));
}

/** Returns each name once. A nested array converts to a string of all its items, joined by commas. */
function listNames(names: OptionNames): string[] {
  return [...new Set(String(names).split(","))];
}

/** A schema of options that their call still checks by {@link checkOptions}. */
export function fromNames(names: OptionNames): Record<string, Check> {
  const references = ["signer", "journal", "ledger"];
  return Object.fromEntries(
    listNames(names).map((name) => [name, references.includes(name) ? reference() : unchecked()]),
  );
}

export { isOptions, type KeysOf };
