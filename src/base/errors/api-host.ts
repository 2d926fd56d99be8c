import { type AnyKeeplightError, KeeplightError } from "./base.ts";

/** There is no deal with this file yet; a later call may succeed. */
export function proofNotReady(cause: KeeplightError<"HTTP_STATUS">): KeeplightError {
  return new KeeplightError("PROOF_NOT_READY", "Proof Doesn't exist yet", { details: cause.details, cause });
}

/** @param cause - why there is no price; `detail` is a short form of it */
export function tickerFailed(symbol: string, detail: string, cause: AnyKeeplightError): KeeplightError {
  return new KeeplightError("TICKER_FAILED", `Failed to get ticker price: ${detail}`, {
    details: { ...cause.details, symbol },
    cause,
  });
}
