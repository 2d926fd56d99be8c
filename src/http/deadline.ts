import { MAX_TIMER_MS } from "../config/limits.ts";
import { KeeplightError } from "../errors/base.ts";
import { aborted, type RequestFacts, timedOut } from "../errors/transport.ts";
import { throwIfAborted } from "../input/abort.ts";

/**
 * Runs `work` with a signal that fires when the caller's does or when the time is up, and says which it
 * was. The signal fires at the end too, so that a connection that `work` left open is let go; the
 * caller's own signal is left without listeners, and no timer outlives the work.
 */
export async function withDeadline<T>(
  facts: RequestFacts,
  options: { signal: AbortSignal | undefined; timeoutMs: number },
  work: (signal: AbortSignal, stop: () => void) => Promise<T>,
): Promise<T> {
  const { signal, timeoutMs } = options;
  throwIfAborted(signal);
  const controller = new AbortController();
  const stop = () => controller.abort();
  let late = false;
  const timer = setTimeout(
    () => {
      late = true;
      stop();
    },
    Math.min(timeoutMs, MAX_TIMER_MS),
  );
  signal?.addEventListener("abort", stop, { once: true });
  try {
    return await work(controller.signal, stop);
  } catch (error) {
    if (signal?.aborted) throw aborted(signal.reason);
    if (late && isConnectionFailure(error)) throw timedOut(facts, timeoutMs);
    throw error;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", stop);
    stop();
  }
}

/** A failure with a cause of its own is told as it is, even when the time ran out while it unwound. */
function isConnectionFailure(error: unknown): boolean {
  return !(error instanceof KeeplightError) || error.code === "NETWORK";
}
