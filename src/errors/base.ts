import type { ErrorCode } from "./codes.ts";
import { printable } from "./printable.ts";

const brand = Symbol.for("keeplight.error");

/** What a {@link KeeplightError} is made of. */
export interface KeeplightErrorOptions {
  /** Facts for a person or a log: method, URL, status, node. Never a secret. */
  details?: Readonly<Record<string, unknown>>;
  /** The lower-level failure this one was translated from. */
  cause?: unknown;
  /** What the message leaves out where its wording is fixed. Default: what the service said. */
  hint?: string | undefined;
}

/**
 * Root of every error this kit throws.
 *
 * `code` is stable; `message` is for people; `details` holds plain facts. Tokens, signatures,
 * private keys, shards and request bodies appear in none of them. The wording of some messages is fixed: what such a
 * message leaves out stands behind it in `stack` and `toString()`.
 */
export class KeeplightError extends Error {
  /** For stack traces; switch on `code` instead. */
  override readonly name: string = "KeeplightError";
  /** Stable: what to switch on. */
  readonly code: ErrorCode;
  /** Plain facts, such as `method`, `url`, `status`, `node`. Never a secret. */
  readonly details: Readonly<Record<string, unknown>>;

  readonly #explained: string;

  constructor(code: ErrorCode, message: string, { details = {}, cause, hint }: KeeplightErrorOptions = {}) {
    super(printable(message), cause === undefined ? undefined : { cause });
    this.code = code;
    this.details = details;
    Object.defineProperty(this, brand, { value: true });
    const unsaid = hint ?? details["serverMessage"];
    this.#explained = typeof unsaid === "string" ? `${this.message}: ${printable(unsaid)}` : this.message;
    if (this.#explained === this.message) return;
    const stack = this.stack?.replace(this.message, () => this.#explained);
    Object.defineProperty(this, "stack", { value: stack, writable: true, configurable: true });
  }

  /** Name, message, and what the message leaves out. */
  override toString(): string {
    return `${this.name}: ${this.#explained}`;
  }

  /** Plain data for logs: code, message and details, without causes or stack. */
  toJSON(): { name: string; code: ErrorCode; message: string; details: Readonly<Record<string, unknown>> } {
    return { name: this.name, code: this.code, message: this.message, details: this.details };
  }
}

/** Whether `value` was thrown by this kit, also by another copy of it or in another realm. */
export function isKeeplightError(value: unknown): value is KeeplightError {
  return typeof value === "object" && value !== null && brand in value;
}
