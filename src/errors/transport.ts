import { KeeplightError } from "./base.ts";
import { printable } from "./printable.ts";

/** Facts about a request that may be shown to anyone. */
export interface RequestFacts {
  method: string;
  /** Origin and path, without query and credentials. */
  url: string;
  node?: number;
}

export function aborted(reason: unknown): KeeplightError {
  return new KeeplightError("ABORTED", "The operation was aborted", { cause: reason });
}

export function timedOut(facts: RequestFacts, timeoutMs: number): KeeplightError {
  return new KeeplightError("TIMEOUT", "Request timed out", { details: { ...facts, timeoutMs } });
}

export function idleTooLong(facts: RequestFacts, idleMs: number): KeeplightError {
  return new KeeplightError("TIMEOUT", `Request timed out: nothing moved for ${idleMs} ms`, {
    details: { ...facts, idleMs },
  });
}

export function networkError(facts: RequestFacts, cause: unknown): KeeplightError {
  return new KeeplightError("NETWORK", "Network error", { details: { ...facts }, cause: withoutRequest(cause) });
}

export function responseTooLarge(facts: RequestFacts, limitBytes: number): KeeplightError {
  return new KeeplightError("RESPONSE_TOO_LARGE", `The answer is larger than ${limitBytes} bytes`, {
    details: { ...facts, limitBytes },
  });
}

/** A file that was requested as bytes and has at least so many that no array holds them. */
export function tooLargeForArray(bytes: number): KeeplightError {
  const message = `The file is too large to be returned as bytes (at least ${bytes}): save it with \`to\`, or use as: "stream"`;
  return new KeeplightError("RESPONSE_TOO_LARGE", message, { details: { bytes } });
}

export function invalidJson(facts: RequestFacts, status: number): KeeplightError {
  return new KeeplightError("INVALID_JSON", "Invalid JSON response", { details: { ...facts, status } });
}

export function invalidResponse(facts: RequestFacts, message: string): KeeplightError {
  return new KeeplightError("INVALID_RESPONSE", message, { details: { ...facts } });
}

/** How a service's refusal is worded; both forms are in use on the network's clients. */
export type StatusWording = "request" | "http";

export function httpStatus(
  facts: RequestFacts,
  status: number,
  wording: StatusWording,
  extra: { serverMessage?: string; retryAfterSeconds?: number } = {},
): KeeplightError {
  const message = wording === "http" ? `HTTP error! status: ${status}` : `Request failed with status code ${status}`;
  return new KeeplightError("HTTP_STATUS", message, { details: { ...facts, status, ...extra } });
}

/**
 * An HTTP client's own error holds the request, headers and body with it: only its code and text go on, the text
 * without the credentials of URLs in it, which pages' `fetch` repeats.
 */
function withoutRequest(cause: unknown): unknown {
  if (!(cause instanceof Error)) return undefined;
  const code = "code" in cause && typeof cause.code === "string" ? cause.code : undefined;
  const message = printable(cause.message).replace(/\/\/\S*@/g, "//");
  return Object.assign(new Error(message), code === undefined ? {} : { code });
}
