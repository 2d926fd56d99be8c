import { isKeeplightError } from "keeplight";
import { onAbort, throwIfAborted, wait } from "keeplight/parts";
import type { Control } from "./control.ts";

/** Runs what may fail for a while. */
export type Retry = ReturnType<typeof createRetry>;

/** Statuses after which the same request may succeed: another one is at the upload, or the server is not well. */
const TEMPORARY = new Set([408, 409, 423, 429]);

/** What a server may ask for, in milliseconds. */
const MAX_RETRY_AFTER_MS = 300_000;

/**
 * Creates what runs the requests of one file again after each of these delays, in milliseconds. Delays do not add up over requests
 * that succeed.
 */
export function createRetry(control: Control, delays: readonly number[]) {
  let failures = 0;

  return {
    /**
     * Runs `work` until it succeeds: not while the file is paused, and not while the browser is offline.
     *
     * @param work - receives a signal that fires if the file is paused meanwhile, after which it runs again
     * @throws `ABORTED` once the file is cancelled; errors that last
     */
    async run<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
      for (;;) {
        const signal = await control.ready();
        try {
          const result = await work(signal);
          failures = 0;
          return result;
        } catch (error) {
          throwIfAborted(control.signal);
          if (signal.aborted) continue;
          if (!isTemporary(error)) throw error;
          if (globalThis.navigator?.onLine === false) await untilOnline(control.signal);
          else {
            const delay = delays[failures++];
            if (delay === undefined) throw error;
            await wait(Math.max(delay, readRetryAfterMs(error)), control.signal);
          }
        }
      }
    },
  };
}

function isTemporary(error: unknown): boolean {
  if (!isKeeplightError(error)) return false;
  const { status } = error.details as { status?: unknown };
  if (typeof status === "number") return status >= 500 || TEMPORARY.has(status);
  return error.code === "NETWORK" || error.code === "TIMEOUT";
}

function readRetryAfterMs(error: unknown): number {
  const { retryAfterSeconds = 0 } = isKeeplightError(error, "HTTP_STATUS") ? error.details : {};
  return Math.min(retryAfterSeconds * 1000, MAX_RETRY_AFTER_MS);
}

/** Resolves once the browser is online, or the signal fires. */
function untilOnline(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      removeCallback();
      globalThis.removeEventListener("online", end);
      resolve();
    };
    globalThis.addEventListener("online", end);
    const removeCallback = onAbort(signal, end);
  });
}
