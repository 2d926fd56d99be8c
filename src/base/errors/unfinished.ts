import { type ErrorCode, isKeeplightError, KeeplightError, type KeeplightErrorOptions } from "./base.ts";

/** What may stop resumed work before it does anything. */
const STOPS_AT_ONCE = new Set<ErrorCode>(["ABORTED", "SIGNATURE_REJECTED"]);

interface UnfinishedErrorOptions<Result, ResumeOptions> extends KeeplightErrorOptions {
  details?: Readonly<Record<string, unknown>>;
  resume: (options: ResumeOptions) => Promise<Result>;
  operationId?: string | undefined;
}

/**
 * Part of the work is done on the network and the rest is not. {@link UnfinishedError.resume} does the
 * rest. What it needs for that, keys included, is never printed with the error.
 */
export class UnfinishedError<Result, ResumeOptions> extends KeeplightError {
  /** As of {@link KeeplightError}. */
  static override readonly name: string = "UnfinishedError";
  /** For stack traces; use {@link isUnfinished} to recognise this error. */
  override readonly name: string = "UnfinishedError";
  /** In the journal that the call was recorded in, for its `resume` and `discard`. Absent without a journal. */
  readonly operationId?: string;
  readonly #resume: (options: ResumeOptions) => Promise<Result>;

  constructor(
    code: ErrorCode,
    message: string,
    { resume, operationId, ...options }: UnfinishedErrorOptions<Result, ResumeOptions>,
  ) {
    super(code, message, options);
    this.#resume = resume;
    if (operationId !== undefined) this.operationId = operationId;
  }

  /**
   * Continues where the failed call stopped, and returns what that call would have returned. Fails with
   * another `UnfinishedError` if it is stopped again, by an error of any kind.
   *
   * @param options - the failed call's options to change: a new `signal`, a fresh `authToken` …
   */
  async resume(options: ResumeOptions = {} as ResumeOptions): Promise<Result> {
    try {
      return await this.#resume(options);
    } catch (error) {
      throw toStopped(this, error, this.#resume);
    }
  }
}

/**
 * Returns the error of resumed work that was stopped. Outside of the class: a class that names itself is called
 * `_UnfinishedError` once it is bundled.
 */
function toStopped<Result, ResumeOptions>(
  before: UnfinishedError<Result, ResumeOptions>,
  error: unknown,
  resume: (options: ResumeOptions) => Promise<Result>,
): unknown {
  if (isUnfinished(error)) return error;
  const known = isKeeplightError(error) ? error : undefined;
  if (known && !STOPS_AT_ONCE.has(known.code)) return error;
  // A wallet may throw anything. Its error becomes the cause of the failure that is to be resumed.
  return new UnfinishedError<Result, ResumeOptions>(known?.code ?? before.code, known?.message ?? before.message, {
    details: { ...before.details, ...known?.details },
    cause: known ? known.cause : error,
    resume,
    operationId: before.operationId,
  });
}

/** Names the operation that an unfinished call has left open in its journal. */
export function setOperationId(error: UnfinishedError<unknown, ResumeOptions>, operationId: string): void {
  Object.assign(error, { operationId });
}

/** What the `resume` of most calls takes: those of the failed call's options that may be stale. */
interface ResumeOptions {
  /** Stops the resumed call. @default the failed call's */
  signal?: AbortSignal | undefined;
  /** A fresh API key. @default the failed call's */
  apiKey?: string | undefined;
  /** A fresh JWT. @default the failed call's */
  authToken?: string | undefined;
}

/**
 * Whether this kit threw `value` for work that its `resume()` continues.
 *
 * @example
 * if (isUnfinished(error)) await error.resume({ signal });
 */
export function isUnfinished<Result = unknown, Options = ResumeOptions>(
  value: unknown,
): value is UnfinishedError<Result, Options> {
  return isKeeplightError(value) && "resume" in value;
}
