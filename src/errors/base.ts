import type { ErrorCode } from "./codes.ts";

const brand = Symbol.for("keeplight.error");

/** What a {@link KeeplightError} is made of. */
export interface KeeplightErrorOptions {
  /** Facts for a person or a log: method, URL, status, node. Never a secret. */
  details?: Readonly<Record<string, unknown>>;
  /** The lower-level failure this one was translated from. */
  cause?: unknown;
}

/**
 * Root of every error this kit throws.
 *
 * `code` is stable; `message` is for people; `details` holds plain facts. Tokens, signatures,
 * private keys, shards and request bodies appear in none of them.
 */
export class KeeplightError extends Error {
  /** For stack traces; switch on `code` instead. */
  override readonly name: string = "KeeplightError";
  /** Stable: what to switch on. */
  readonly code: ErrorCode;
  /** Plain facts, such as `method`, `url`, `status`, `node`. Never a secret. */
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, message: string, options: KeeplightErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.details = options.details ?? {};
    Object.defineProperty(this, brand, { value: true });
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
