import { distance } from "fastest-levenshtein";

/** How the SDK recognises its errors. The devnet shares the mark, and none of the SDK's code. */
const brand = Symbol.for("keeplight.error");

/** Error of the devnet itself, such as an option that it cannot use. `isKeeplightError` is true for it. */
export class DevnetError extends Error {
  override readonly name: string = "DevnetError";
  /** Stable: what to switch on. */
  readonly code: "INVALID_OPTION" | "UNSUPPORTED";
  /** Plain facts, such as `option`. */
  readonly details: Readonly<Record<string, unknown>>;

  constructor(
    code: "INVALID_OPTION" | "UNSUPPORTED",
    message: string,
    details: Readonly<Record<string, unknown>> = {},
    cause?: unknown,
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.details = details;
    Object.defineProperty(this, brand, { value: true });
  }
}

/** An option, or an argument, that the devnet cannot use. */
export function invalidDevnetOption(
  message: string,
  details: Readonly<Record<string, unknown>>,
  cause?: unknown,
): DevnetError {
  return new DevnetError("INVALID_OPTION", message, details, cause);
}

/** The devnet's chain cannot run on this machine. */
export function chainUnavailable(
  message: string,
  details: Readonly<Record<string, unknown>> = {},
  cause?: unknown,
): DevnetError {
  return new DevnetError("UNSUPPORTED", message, details, cause);
}

/** Throws unless `value` is an object whose keys are all in `known`; `path` is empty for the options themselves. */
export function checkKeys(path: string, value: unknown, known: readonly string[]): void {
  if (!isObject(value)) throw invalidOption(path === "" ? "options" : path, "expected an object");
  for (const key of Object.keys(value)) {
    if (known.includes(key)) continue;
    const option = path === "" ? key : `${path}.${key}`;
    throw invalidDevnetOption(`Unknown option ${option}: ${suggest(key, known)}`, { option });
  }
}

/** Throws unless `value` is one of `known`. */
export function checkOneOf(path: string, value: unknown, known: readonly string[]): void {
  if (known.includes(value as string)) return;
  throw invalidOption(
    path,
    typeof value === "string" ? `${JSON.stringify(value)}: ${suggest(value, known)}` : listNames(known),
  );
}

/** Throws unless `value` is valid or missing. */
export function checkOptional(path: string, value: unknown, isValid: boolean, expected: string): void {
  if (value !== undefined && !isValid) throw invalidOption(path, `expected ${expected}`);
}

/** Returns whether `value` is a number from `min` up. */
export function isAtLeast(value: unknown, min: number): boolean {
  return typeof value === "number" && value >= min;
}

/** Returns whether `value` is a whole number from `min` to `max`. */
export function isWhole(value: unknown, min: number, max = Number.MAX_SAFE_INTEGER): boolean {
  return Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max;
}

/** Returns whether `value` is a plain object whose values are all valid. */
export function isRecordOf(value: unknown, isValid: (item: unknown) => boolean): boolean {
  return isObject(value) && Object.values(value).every(isValid);
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
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
