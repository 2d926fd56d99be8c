import { isKeeplightError } from "keeplight";
import { wait } from "keeplight/parts";

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 60_000;
const PATIENCE_MS = 3_600_000;

/** How failures of services are waited for. */
export interface Patience {
  signal: AbortSignal | undefined;
  onError: ((error: unknown) => void) | undefined;
}

/**
 * Runs work again, after longer and longer waits, while a service is down: up to an hour.
 *
 * @param passes - whether an error passes with time
 */
export async function withPatience<T>(
  work: () => Promise<T>,
  { signal, onError }: Patience,
  passes: (error: unknown) => boolean = isOutage,
): Promise<T> {
  const end = performance.now() + PATIENCE_MS;
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)) {
    try {
      return await work();
    } catch (error) {
      if (!passes(error) || performance.now() + waitMs > end) throw error;
      report(onError, error);
      await wait(Math.max(waitMs, getRetryAfterMs(error)), signal);
    }
  }
}

function report(onError: Patience["onError"], error: unknown): void {
  try {
    // It may return a promise that rejects.
    void Promise.resolve(onError?.(error) as unknown).catch(() => undefined);
  } catch {
    // What it throws is the caller's own affair.
  }
}

export function isOutage(error: unknown): boolean {
  if (isKeeplightError(error, "HTTP_STATUS")) return error.details.status === 429 || error.details.status >= 500;
  return isSilence(error);
}

/** Whether a service has sent no response. */
function isSilence(error: unknown): boolean {
  return isKeeplightError(error, "NETWORK") || isKeeplightError(error, "TIMEOUT");
}

function getRetryAfterMs(error: unknown): number {
  const { retryAfterSeconds } = (isKeeplightError(error) ? error.details : {}) as { retryAfterSeconds?: unknown };
  return typeof retryAfterSeconds === "number" ? Math.min(retryAfterSeconds * 1_000, LONGEST_WAIT_MS) : 0;
}

/** So many reads in a row that get no response are not due to single packs: a service is down. */
const MAX_OUTAGES = 32;

/** Counts the reads in a row that got no response. */
export function createOutageCount() {
  let inRow = 0;
  return {
    /** Counts a failure; throws it if it is one too many. */
    add(error: unknown): void {
      if (isSilence(error) && ++inRow === MAX_OUTAGES) throw error;
    },
    /** Something was read. */
    end(): void {
      inRow = 0;
    },
  };
}
