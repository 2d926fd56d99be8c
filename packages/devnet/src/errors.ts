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
