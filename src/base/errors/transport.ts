import { KeeplightError, printable } from "./base.ts";
import type { RequestFacts } from "./details/input-and-requests.ts";

export const aborted = (reason: unknown) =>
  new KeeplightError("ABORTED", "The operation was aborted", { cause: reason });

export const timedOut = (facts: RequestFacts, timeoutMs: number) =>
  new KeeplightError("TIMEOUT", "Request timed out", { details: { ...facts, timeoutMs } });

export const idleTooLong = (facts: RequestFacts, idleMs: number) =>
  new KeeplightError("TIMEOUT", `Request timed out: nothing moved for ${idleMs} ms`, { details: { ...facts, idleMs } });

export function networkError(facts: RequestFacts, cause: unknown): KeeplightError {
  const safe = toSafeCause(cause);
  const reason = (safe?.code ?? safe?.message) || undefined;
  return new KeeplightError("NETWORK", "Network error", { details: { ...facts, reason }, cause: safe, hint: reason });
}

export const responseTooLarge = (facts: RequestFacts, limitBytes: number) =>
  new KeeplightError("RESPONSE_TOO_LARGE", `The response is larger than ${limitBytes} bytes`, {
    details: { ...facts, limitBytes },
  });

/** Nothing is cut off silently: the caller learns that there are more rows. */
export function tooManyRows(maxRows: number): KeeplightError {
  const message = `The listing has more than ${maxRows} rows: pass a larger \`maxRows\` if they are expected`;
  return new KeeplightError("TOO_MANY_ROWS", message, { details: { maxRows } });
}

/** @param bytes - at least so many; no array holds them */
export function tooLargeForArray(bytes: number): KeeplightError {
  const message = `The file is too large to be kept in memory (at least ${bytes} bytes): save it with \`to\`, or use as: "stream"`;
  return new KeeplightError("RESPONSE_TOO_LARGE", message, { details: { bytes } });
}

/** @param extra - details besides the facts of the request */
export const invalidJson = (facts: RequestFacts, status: number, extra: Readonly<Record<string, unknown>> = {}) =>
  new KeeplightError("INVALID_JSON", "Invalid JSON response", { details: { ...facts, status, ...extra } });

/** @param extra - details besides the facts of the request */
export const invalidResponse = (facts: RequestFacts, message: string, extra: Readonly<Record<string, unknown>> = {}) =>
  new KeeplightError("INVALID_RESPONSE", message, { details: { ...facts, ...extra } });

/** An upload node that has not received the whole body cannot know its content id. */
export const earlyResponse = () =>
  new KeeplightError("INVALID_RESPONSE", "The upload node responded before all was sent");

/** Which message a refusal gets; the network's clients use both. */
export type StatusFormat = "request" | "http";

export function httpStatus(
  facts: RequestFacts,
  status: number,
  statusFormat: StatusFormat,
  extra: { serverMessage?: string | undefined; retryAfterSeconds?: number | undefined } = {},
): KeeplightError {
  const message =
    statusFormat === "http" ? `HTTP error! status: ${status}` : `Request failed with status code ${status}`;
  return new KeeplightError("HTTP_STATUS", message, { details: { ...facts, status, ...extra } });
}

/**
 * An HTTP client's own error holds the request with its headers and body: keeps only its code and its message, without
 * the credentials of URLs, which pages' `fetch` repeats.
 */
function toSafeCause(cause: unknown): (Error & { code?: string }) | undefined {
  if (!(cause instanceof Error)) return undefined;
  const code = "code" in cause && typeof cause.code === "string" ? cause.code : undefined;
  const message = printable(cause.message).replace(/\/\/\S*@/g, "//");
  return Object.assign(new Error(message), code === undefined ? {} : { code });
}
