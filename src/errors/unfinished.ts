import { KeeplightError, type KeeplightErrorOptions } from "./base.ts";
import type { ErrorCode } from "./codes.ts";

/** What may stop resumed work before it does anything. */
const STOPPED_AT_ONCE = new Set<ErrorCode>(["ABORTED", "SIGNATURE_REJECTED"]);

/**
 * Part of the work is done on the network and the rest is not. {@link UnfinishedError.resume} does the
 * rest. What it needs for that, keys included, is held out of reach of any printing of the error.
 */
export class UnfinishedError<Result, ResumeOptions> extends KeeplightError {
  /** For stack traces; `instanceof` tells this error from others. */
  override readonly name: string = "UnfinishedError";
  readonly #resume: (options: ResumeOptions) => Promise<Result>;

  constructor(
    code: ErrorCode,
    message: string,
    options: KeeplightErrorOptions & { resume: (options: ResumeOptions) => Promise<Result> },
  ) {
    super(code, message, options);
    this.#resume = options.resume;
  }

  /**
   * Goes on where the failed call stopped, and gives what that call would have given. Fails with
   * another `UnfinishedError` when it is stopped again.
   *
   * @param options - the failed call's options to change: a new `signal`, a fresh `authToken` …
   */
  async resume(options: ResumeOptions = {} as ResumeOptions): Promise<Result> {
    try {
      return await this.#resume(options);
    } catch (error) {
      if (!(error instanceof KeeplightError) || error instanceof UnfinishedError) throw error;
      if (!STOPPED_AT_ONCE.has(error.code)) throw error;
      throw new UnfinishedError<Result, ResumeOptions>(error.code, error.message, {
        details: { ...this.details, ...error.details },
        cause: error.cause,
        resume: this.#resume,
      });
    }
  }
}
