import { onAbort, throwIfAborted } from "../../base/async/abort.ts";
import { MAX_TIMER_MS } from "../../base/config/limits.ts";
import { isKeeplightError, type KeeplightError } from "../../base/errors/base.ts";
import type { RequestFacts } from "../../base/errors/facts.ts";
import { aborted, idleTooLong, timedOut } from "../../base/errors/transport.ts";
import { type IdleWatch, watchIdle } from "./idle.ts";

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
  work: (signal: AbortSignal, idle: IdleWatch) => Promise<T>,
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
  const timer = setTimeout(() => end(timedOut(facts, timeoutMs)), Math.min(timeoutMs, MAX_TIMER_MS));
  const idle = watchIdle(Math.min(idleTimeoutMs, MAX_TIMER_MS), () => end(idleTooLong(facts, idleTimeoutMs)));
  const removeCallback = onAbort(signal, stop);
  try {
    return await work(controller.signal, idle);
  } catch (error) {
    if (signal?.aborted) throw aborted(signal.reason);
    if (expiry && isConnectionFailure(error)) throw expiry;
    throw error;
  } finally {
    clearTimeout(timer);
    idle.end();
    removeCallback();
    controller.abort(OVER);
  }
}

/** A failure with another cause keeps its error, even if the time ran out while it unwound. */
function isConnectionFailure(error: unknown): boolean {
  return !isKeeplightError(error) || error.code === "NETWORK";
}
