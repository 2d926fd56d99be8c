import type { InputDetails, TransportDetails } from "./details/input-and-requests.ts";
import type { KeyDetails, MachineDetails } from "./details/keys-and-machine.ts";
import type { PaymentDetails } from "./details/payment.ts";

const brand = Symbol.for("keeplight.error");

/** What a {@link KeeplightError} is made of. */
export interface KeeplightErrorOptions {
  /** The lower-level failure this one was translated from. @default none */
  cause?: unknown;
  /** What the message omits because it is fixed. @default the service's message */
  hint?: string | undefined;
}

/** The details of an error: required unless all of them are optional. */
type WithDetails<Code extends ErrorCode> =
  Record<never, never> extends DetailsOf<Code> ? { details?: GivenDetails<Code> } : { details: GivenDetails<Code> };

/** Undefined details are left out. */
export type GivenDetails<Code extends ErrorCode> = Readonly<OrUndefined<ErrorDetails[Code]> & Record<string, unknown>>;

type OrUndefined<Facts> = {
  [Name in keyof Facts]: Facts[Name] | (object extends Pick<Facts, Name> ? undefined : never);
};

type Arguments<Options> = Record<never, never> extends Options ? [options?: Options] : [options: Options];

/**
 * Root of every error this kit throws.
 *
 * `code` is stable; `message` is for people; `details` holds plain facts. Tokens, signatures,
 * private keys, shards and request bodies appear in none of them. Some messages are fixed: what such a
 * message leaves out follows it in `stack` and `toString()`.
 */
export class KeeplightError<Code extends ErrorCode = ErrorCode> extends Error {
  /** Printed by Node with every error; code that is minified would lose it. */
  static override readonly name: string = "KeeplightError";
  /** For stack traces; switch on `code` instead. */
  override readonly name: string = "KeeplightError";
  /** Stable: what to switch on. */
  readonly code: Code;
  /** Plain facts, such as `method`, `url`, `status`, `node`. Never a secret. */
  readonly details: DetailsOf<Code>;

  readonly #explanation: string;

  constructor(code: Code, message: string, ...[options]: Arguments<KeeplightErrorOptions & WithDetails<Code>>) {
    const { details = {}, cause, hint }: KeeplightErrorOptions & { details?: Record<string, unknown> } = options ?? {};
    super(printable(message), cause === undefined ? undefined : { cause });
    this.code = code;
    const known = Object.entries(details).filter(([, fact]) => fact !== undefined);
    this.details = Object.fromEntries(known) as DetailsOf<Code>;
    Object.defineProperty(this, brand, { value: true });
    const omitted = hint ?? details["serverMessage"];
    this.#explanation = typeof omitted === "string" ? `${this.message}: ${printable(omitted)}` : this.message;
    if (this.#explanation === this.message) return;
    const stack = this.stack?.replace(this.message, () => this.#explanation);
    Object.defineProperty(this, "stack", { value: stack, writable: true, configurable: true });
  }

  /** Name, message, and what the message leaves out. */
  override toString(): string {
    return `${this.name}: ${this.#explanation}`;
  }

  /** Plain data for logs: code, message and details, without causes or stack. */
  toJSON(): {
    /** Name of the class. */
    name: string;
    /** What went wrong. */
    code: Code;
    /** The same for people. */
    message: string;
    /** The facts of the error. */
    details: DetailsOf<Code>;
  } {
    return { name: this.name, code: this.code, message: this.message, details: this.details };
  }
}

/** The same error with these details. */
export const withDetails = (error: KeeplightError, details: Readonly<Record<string, unknown>>) =>
  new KeeplightError(error.code, error.message, { details, cause: error.cause });

/** An error of this kit with any of these codes: comparing `code` narrows the type of `details`. */
export type AnyKeeplightError<Code extends ErrorCode = ErrorCode> = { [C in Code]: KeeplightError<C> }[Code];

/**
 * Whether this kit threw `value`, with this code if one is named; also true for errors of another copy of the kit or of
 * another realm, unlike `instanceof`.
 *
 * @example
 * if (isKeeplightError(error, "HTTP_STATUS")) console.log(error.details.status);
 */
export function isKeeplightError<Code extends ErrorCode = ErrorCode>(
  value: unknown,
  code?: Code,
): value is AnyKeeplightError<Code> {
  if (typeof value !== "object" || value === null || !(brand in value)) return false;
  return code === undefined || ("code" in value && value.code === code);
}

/** Takes errors with one of these codes as `undefined`, and throws others: for `catch()` of promises. */
export function ignore(...codes: ErrorCode[]): (error: unknown) => undefined {
  return (error) => {
    if (!isKeeplightError(error) || !codes.includes(error.code)) throw error;
  };
}

/** The facts that each error carries, by its code. Errors may carry more, such as those of a call that can be resumed. */
export interface ErrorDetails extends InputDetails, TransportDetails, KeyDetails, PaymentDetails, MachineDetails {}

/** Stable names of everything that can go wrong: switch on these, not on messages. */
export type ErrorCode = keyof ErrorDetails;

/** The facts of an error with this code, and any others by name. */
export type DetailsOf<Code extends ErrorCode> = Readonly<ErrorDetails[Code] & Record<string, unknown>>;

/**
 * What a terminal or a log acts on instead of showing it: controls, line breaks, and marks that turn the direction of
 * text.
 */
const UNPRINTABLE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]+/gu;

/** A longer string might be a key, passed in the wrong place. */
const MAX_SHOWN = 60;
const KEPT = 8;

/** Replaces what a terminal or a log would act on, such as control characters and line breaks, by spaces. */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, " ");
}

/** Formats a refused value for a message: a string, shortened if it is long, or the type of anything else. */
export function abbreviated(value: unknown): string {
  if (typeof value !== "string") return value === null ? "null" : typeof value;
  const text = value.length > MAX_SHOWN ? `${value.slice(0, KEPT)}… (${value.length} characters)` : value;
  return `"${printable(text)}"`;
}
