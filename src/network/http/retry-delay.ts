import { MAX_ATTEMPTS, MAX_RETRY_AFTER_MS, RETRY_BACKOFF_MS } from "../../base/config/limits.ts";

/** Too many requests, and unavailable for the moment: what `Retry-After` promises an end of (RFC 6585, RFC 9110). */
const TEMPORARY = new Set([429, 503]);

/** A refusal, and what decides whether to repeat its request. */
export interface Refusal {
  status: number;
  /** See {@link readRetryAfter}. */
  retryAfterSeconds: number | undefined;
  /** How often the request was sent, from 1. */
  attempt: number;
  /** What is left of the time limit, in milliseconds. */
  remainingMs: number;
  /** From 0 to 1. */
  random: number;
}

/**
 * Computes how long to wait before a refused request is sent again, in milliseconds: what the service requested, and up
 * to a back-off on top, so that clients that were refused together do not return together. Returns `undefined` if the
 * refusal is final: the service named no time, or one that is too far off, or there were enough attempts.
 */
export function retryDelay({ status, retryAfterSeconds, attempt, remainingMs, random }: Refusal): number | undefined {
  if (!TEMPORARY.has(status) || retryAfterSeconds === undefined || attempt >= MAX_ATTEMPTS) return undefined;
  const requestedMs = retryAfterSeconds * 1000;
  const delay = requestedMs + random * RETRY_BACKOFF_MS * 2 ** (attempt - 1);
  return requestedMs <= MAX_RETRY_AFTER_MS && delay < remainingMs ? delay : undefined;
}

/** Longer ones have no use, and 15 digits are exact. */
const SECONDS = /^\d{1,15}$/;

/** Either form of a date that names its zone; `Date.parse` would read nearly anything. */
const HTTP_DATE = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*, .* GMT$/;

/**
 * Reads a `Retry-After` header (RFC 9110, section 10.2.3) as seconds from `now`, at least 0. Returns `undefined` if there
 * is none, or if it is neither a whole number of seconds nor a date.
 *
 * @param now - in milliseconds since 1970
 */
export function readRetryAfter(header: unknown, now: number): number | undefined {
  if (typeof header !== "string") return undefined;
  const text = header.trim();
  if (SECONDS.test(text)) return Number(text);
  const date = HTTP_DATE.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - now) / 1000));
}
