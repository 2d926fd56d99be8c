import { onAbort, throwIfAborted } from "../../base/async/abort.ts";
import { MAX_ATTEMPTS, MAX_RETRY_AFTER_MS, MAX_TIMER_MS, RETRY_BACKOFF_MS } from "../../base/config/limits.ts";
import { isKeeplightError, type KeeplightError } from "../../base/errors/base.ts";
import type { RequestFacts } from "../../base/errors/details/input-and-requests.ts";
import { aborted, idleTooLong, timedOut } from "../../base/errors/transport.ts";
import type { TransferWatch } from "../../platform/types.ts";

/** Ends what `work` left open. One for all requests: making an exception takes longer than the rest of ending one. */
const OVER = new DOMException("The request is over", "AbortError");

/**
 * Runs `work` with a signal that fires when the caller's does, when the time is up, or when the peer is silent for too
 * long, and throws the matching error. The signal also fires at the end, which closes a connection that `work` left open;
 * no listener stays on the caller's signal, and no timer outlives the work.
 */
export async function withDeadline<T>(
  facts: RequestFacts,
  options: { signal: AbortSignal | undefined; timeoutMs: number; idleTimeoutMs?: number | undefined },
  work: (signal: AbortSignal, idle: TransferWatch) => Promise<T>,
): Promise<T> {
  const { signal, timeoutMs, idleTimeoutMs = MAX_TIMER_MS } = options;
  throwIfAborted(signal);
  const controller = new AbortController();
  const stop = () => controller.abort();
  let expiry: KeeplightError | undefined;
  const end = (reason: KeeplightError) => {
    expiry ??= reason;
    stop();
  };
  const idle = limitTime(facts, { timeoutMs, idleTimeoutMs }, end);
  const removeCallback = onAbort(signal, stop);
  try {
    return await work(controller.signal, idle);
  } catch (error) {
    if (signal?.aborted) throw aborted(signal.reason);
    if (expiry && isConnectionFailure(error)) throw expiry;
    throw error;
  } finally {
    idle.end();
    removeCallback();
    controller.abort(OVER);
  }
}

/** A failure with another cause keeps its error, even if the time ran out while it unwound. */
function isConnectionFailure(error: unknown): boolean {
  return !isKeeplightError(error) || error.code === "NETWORK";
}

/**
 * Calls `onEnd` with `TIMEOUT` when the time is up, or once the peer has been silent for too long while something was
 * expected of it. Needs no timer per chunk: a timer that fires early is set again for the remaining time.
 */
export function limitTime(
  facts: RequestFacts,
  { timeoutMs, idleTimeoutMs }: { timeoutMs: number; idleTimeoutMs: number },
  onEnd: (error: KeeplightError) => void,
): TransferWatch & { end(): void } {
  const timer = setTimeout(() => onEnd(timedOut(facts, timeoutMs)), Math.min(timeoutMs, MAX_TIMER_MS));
  const limitMs = Math.min(idleTimeoutMs, MAX_TIMER_MS);
  let since: number | undefined;
  let idleTimer: ReturnType<typeof setTimeout> | undefined;

  function check(expired?: number): void {
    idleTimer = undefined;
    if (since === undefined) return;
    const remaining = since + limitMs - performance.now();
    if (remaining > 0) arm(remaining);
    else if (since === expired) onEnd(idleTooLong(facts, idleTimeoutMs));
    // A late timer runs before the bytes are read that arrived while this thread was busy.
    else arm(1, since);
  }

  function arm(ms: number, expired?: number): void {
    idleTimer = setTimeout(check, ms, expired);
  }

  return {
    expect() {
      since = performance.now();
      if (idleTimer === undefined) arm(limitMs);
    },
    rest() {
      since = undefined;
    },
    end() {
      since = undefined;
      clearTimeout(idleTimer);
      clearTimeout(timer);
    },
  };
}

/** Too many requests, and unavailable for the moment: what `Retry-After` promises an end of (RFC 6585, RFC 9110). */
export const TEMPORARY: ReadonlySet<number> = new Set([429, 503]);

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
