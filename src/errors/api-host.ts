import { KeeplightError } from "./base.ts";

/** There is no deal with this file yet; asking again later is worth it. */
export function proofNotReady(cause: KeeplightError): KeeplightError {
  return new KeeplightError("PROOF_NOT_READY", "Proof Doesn't exist yet", { details: cause.details, cause });
}

/** There is no price, whatever the reason: it is in `detail`, and in `cause`. */
export function tickerFailed(symbol: string, detail: string, cause: KeeplightError): KeeplightError {
  return new KeeplightError("TICKER_FAILED", `Failed to get ticker price: ${detail}`, {
    details: { ...cause.details, symbol },
    cause,
  });
}
