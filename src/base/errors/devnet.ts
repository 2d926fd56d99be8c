import { KeeplightError } from "./base.ts";

/** An option, or an argument, that the devnet cannot use. */
export function invalidDevnetOption(
  message: string,
  details: Readonly<Record<string, unknown>>,
  cause?: unknown,
): KeeplightError {
  return new KeeplightError("INVALID_OPTION", message, { details, cause });
}

/** The devnet's chain cannot run on this machine. */
export function chainUnavailable(
  message: string,
  details: Readonly<Record<string, unknown>> = {},
  cause?: unknown,
): KeeplightError {
  return new KeeplightError("UNSUPPORTED", message, { details, cause });
}
