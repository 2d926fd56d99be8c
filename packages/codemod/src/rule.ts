import { inner, type Path } from "./program.ts";
import type { Call } from "./sites.ts";

/** Returns an argument without parentheses; undefined if it is missing or `undefined`. */
export function argumentOf({ path }: Call, index: number): Path | undefined {
  const argument = path.get("arguments")[index] as Path | undefined;
  return argument && !inner(argument).isIdentifier({ name: "undefined" }) ? inner(argument) : undefined;
}

/** What becomes of an argument. */
export type Converted =
  /** It stays where it is, as an option or as the first argument, within these texts. */
  | { prefix?: string; suffix?: string }
  /** Its properties become options, some values within these texts. */
  | { spread: readonly { property: Path; prefix: string; suffix: string }[] }
  /** It is left out. */
  | "drop"
  /** This stands for it, with the name of the option. */
  | { text: string };

/** Converts an argument; throws `ByHand` if it cannot be converted with certainty. */
export type Converter = (call: Call, index: number) => Converted;

/** A parameter of the incumbent's call. */
export interface Parameter {
  /** Name in the incumbent's documentation. */
  name: string;
  /** The option that it becomes; absent for the first argument of the kit's call. */
  option?: string;
  /** Whether it may be left out. Default `false`. */
  optional?: true;
  /** The option if it is left out, with its name. Default absent. */
  missing?: string;
  convert?: Converter;
}

/** How the results of both calls correspond. */
export interface ResultRule {
  /** Whether the kit returns the same in every case. */
  same?: true;
  /** The properties of the incumbent's result that lead to the kit's. Default `["data"]`. */
  path?: readonly string[];
  /** Whether the kit returns a list whose first item it is. */
  first?: true;
  /** Names of the kit's properties, by the incumbent's; of others nothing may be read. Default all, unchanged. */
  fields?: Readonly<Record<string, string>>;
  /** Properties of the same type; others are read only where their type is of no consequence, if types are checked. */
  sameTypes?: readonly string[] | "all";
  /** Whether the incumbent returns `null`, or an error, where the kit throws: then nothing may test the result. */
  mayFail?: true;
  /** Properties by which the incumbent reports failures that the kit throws. */
  failures?: readonly string[];
  /** What the awaited call is put between, if it is. */
  within?: readonly [string, string];
  /** Whether nothing may be read of the result. */
  unread?: true;
  /** Checks what the program does with the result; throws `ByHand`. */
  check?: (call: Call) => void;
}

/** How a call of the incumbent is rewritten. */
export interface Rule {
  /** The kit's call. */
  to: string;
  parameters: readonly Parameter[];
  result: ResultRule;
}

/**
 * Rules by the names of the incumbent's calls. A function chooses the rule by the arguments; a string is the reason why a
 * call is left.
 */
export type Table = Readonly<Record<string, Rule | string | ((call: Call) => Rule)>>;
