import { randomUUID } from "node:crypto";
import { distance } from "fastest-levenshtein";

type Fields = Readonly<Record<string, unknown>>;

/** How the SDK recognises its errors. The devnet shares the mark, and none of the SDK's code. */
const brand = Symbol.for("keeplight.error");

/** Error of the devnet itself, such as an option that it cannot use. `isKeeplightError` is true for it. */
export class DevnetError extends Error {
  override readonly name: string = "DevnetError";
  /** Stable: what to switch on. */
  readonly code: "INVALID_OPTION" | "UNSUPPORTED";
  /** Plain facts, such as `option`. */
  readonly details: Fields;

  constructor(code: DevnetError["code"], message: string, details: Fields, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.details = details;
    Object.defineProperty(this, brand, { value: true });
  }
}

/** An option, or an argument, that the devnet cannot use. */
export function invalidDevnetOption(message: string, details: Fields, cause?: unknown): DevnetError {
  return new DevnetError("INVALID_OPTION", message, details, cause);
}

/** The devnet's chain cannot run on this machine. */
export function chainUnavailable(message: string, details: Fields = {}, cause?: unknown): DevnetError {
  return new DevnetError("UNSUPPORTED", message, details, cause);
}

type IsValid = (value: unknown) => boolean;

/** Throws unless `value` is valid; `path` names it in the message, `owner` is the object that has it. */
export type Check = (path: string, value: unknown, owner?: Fields) => void;

/** The checks of all fields of an object. */
export type Checks<Options> = Readonly<Record<keyof Options, Check>>;

/** Checks that a value is an object of valid and no other fields. */
export function fieldsOf(checks: Readonly<Record<string, Check>>): Check {
  return (path, value) => {
    checkKeys(path, value, Object.keys(checks));
    for (const [name, check] of Object.entries(checks)) check(join(path, name), value[name], value);
  };
}

/** Checks that the field `kind` of a value is one of `kinds`, and that its other fields are valid for that kind. */
export function kindOf(kinds: Readonly<Record<string, object>>): Check {
  return (path, value) => {
    checkKeys(path, value, ["kind", ...Object.values(kinds).flatMap(Object.keys)]);
    oneOf(Object.keys(kinds))(`${path}.kind`, value["kind"]);
    fieldsOf({ kind: () => {}, ...kinds[String(value["kind"])] })(path, value);
  };
}

/** Throws unless `value` is an object whose keys are all in `known`; `path` is empty for the options themselves. */
export function checkKeys(path: string, value: unknown, known: readonly string[]): asserts value is Fields {
  if (!isObject(value)) throw invalidOption(path === "" ? "options" : path, "expected an object");
  for (const key of Object.keys(value)) {
    if (known.includes(key)) continue;
    const option = join(path, key);
    throw invalidDevnetOption(`Unknown option ${option}: ${suggest(key, known)}`, { option });
  }
}

/** Checks that a value is valid, and not missing. */
export function required(isValid: (value: unknown, owner: Fields) => boolean, expected: string): Check {
  return (path, value, owner = {}) => {
    if (!isValid(value, owner)) throw invalidOption(path, `expected ${expected}`);
  };
}

/** Checks that a value is valid or missing. */
export function optional(...[isValid, expected]: Parameters<typeof required>): Check {
  return required((value, owner) => value === undefined || isValid(value, owner), expected);
}

/** Checks that a value is one of `known`. */
export function oneOf(known: readonly string[]): Check {
  return (path, value) => {
    if (known.includes(value as string)) return;
    const isNear = typeof value === "string";
    throw invalidOption(path, isNear ? `${JSON.stringify(value)}: ${suggest(value, known)}` : listNames(known));
  };
}

/** Checks each item of an array, which may be missing. */
export function eachOf(check: Check, minLength = 0, expected = "an array"): Check {
  const checkList = optional((list) => Array.isArray(list) && list.length >= minLength, expected);
  return (path, list) => {
    checkList(path, list);
    for (const [index, item] of ((list ?? []) as unknown[]).entries()) check(`${path}[${index}]`, item);
  };
}

/**
 * Creates a list of faults or attacks that can be changed at any time, in the order in which they were added.
 *
 * @param track - creates what is kept of each one: a new object, so that the same one can be added twice
 * @param check - throws for one that is invalid; `name` is what it is called then
 */
export function createActiveList<Item, Tracked>(
  initial: readonly Item[],
  track: (item: Item) => Tracked,
  check: Check,
  name: string,
) {
  const active = new Map<string, { item: Item; tracked: Tracked }>();
  const insert = (item: Item): string => {
    check(name, item);
    const id = randomUUID();
    active.set(id, { item, tracked: track(item) });
    return id;
  };
  for (const item of initial) insert(item);
  return {
    /** What is kept of each one. */
    listTracked: () => Array.from(active.values(), ({ tracked }) => tracked),
    /** The added ones, with their ids. */
    list: () => Array.from(active, ([id, { item }]) => ({ id, ...item })),
    /**
     * Adds one and returns its id.
     *
     * @throws DevnetError `INVALID_OPTION`
     */
    insert,
    /** Returns whether there was one with this id. */
    remove: (id: string) => active.delete(id),
    /** Adds one and returns a function that removes it; throws the same. */
    add(item: Item): () => void {
      const id = insert(item);
      return () => void active.delete(id);
    },
    clear: () => active.clear(),
  };
}

export const isString: IsValid = (value) => typeof value === "string";

export const flag = optional((value) => typeof value === "boolean", "true or false");

/** Whether a value is a number from `min` up. */
export function isAtLeast(min: number): IsValid {
  return (value) => typeof value === "number" && value >= min;
}

/** Whether a value is a whole number from `min` to `max`. */
export function isWhole(min: number, max = Number.MAX_SAFE_INTEGER): IsValid {
  return (value) => Number.isSafeInteger(value) && Number(value) >= min && Number(value) <= max;
}

export const isNode = isWhole(1, 5);

/** Whether a value is an array whose items are all valid. */
export function isListOf(isValid: IsValid, minLength = 0): IsValid {
  return (value) => Array.isArray(value) && value.length >= minLength && value.every((item) => isValid(item));
}

/** Whether a value is a plain object whose values are all valid. */
export function isRecordOf(isValid: IsValid): IsValid {
  return (value) => isObject(value) && Object.values(value).every((item) => isValid(item));
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function join(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}

function invalidOption(option: string, problem: string): Error {
  return invalidDevnetOption(`Invalid option ${option}: ${problem}`, { option });
}

function suggest(name: string, known: readonly string[]): string {
  const edits = (other: string) => distance(name.toLowerCase(), other.toLowerCase());
  const [nearest] = known.filter((other) => edits(other) <= name.length / 3).sort((a, b) => edits(a) - edits(b));
  return nearest === undefined ? listNames(known) : `did you mean ${nearest}?`;
}

function listNames(known: readonly string[]): string {
  return `expected one of ${known.join(", ")}`;
}
