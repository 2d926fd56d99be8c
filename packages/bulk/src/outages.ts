import { isKeeplightError } from "keeplight";
import { isMismatch } from "./run/classify-error.ts";

// Services, databases and stores that are down for now: they are waited for.

/** Whether a service, a store, or the ledger cannot be used for now, whatever it is used for. */
export function isOutage(error: unknown): boolean {
  if (isKeeplightError(error, "HTTP_STATUS") || isKeeplightError(error, "NODE_REFUSED")) {
    const { status } = error.details;
    return status === 429 || status >= 500;
  }
  return isKeeplightError(error, "NETWORK") || isKeeplightError(error, "TIMEOUT");
}

/** The longest time for which a service is left alone, in milliseconds. */
const MAX_RETRY_AFTER_MS = 600_000;

/** Returns for how long a service requested to be left alone, in milliseconds; 0 if it did not. */
export function getRetryAfterMs(error: unknown): number {
  const { retryAfterSeconds } = (isKeeplightError(error) ? error.details : {}) as { retryAfterSeconds?: unknown };
  return typeof retryAfterSeconds === "number" ? Math.min(retryAfterSeconds * 1_000, MAX_RETRY_AFTER_MS) : 0;
}

/** The longest wait between two attempts while a service is down, in milliseconds. */
export const MAX_OUTAGE_WAIT_MS = 30_000;

/** Passes an error to a listener. What that throws, or rejects with, is ignored. */
export function reportError(onError: ((error: unknown) => void) | undefined, error: unknown): void {
  void (async () => onError?.(error))().catch(() => undefined);
}

/** Outages of the place that files are read from. */
const ofSources = new WeakSet<object>();

/** Marks an error as one of the place that files are read from, not of a service that they are sent to. */
export function toSourceError<Failure extends object>(error: Failure): Failure {
  ofSources.add(error);
  return error;
}

function isOfSource(error: unknown): boolean {
  return typeof error === "object" && error !== null && ofSources.has(error);
}

/** Failures of something from its first one to the last one, by the clock of `performance`. */
interface Outage {
  since: number;
  last: number;
}

/** Failures of one outage are no further apart, in milliseconds, however long an attempt and the wait before it take. */
const MAX_QUIET_MS = 3_600_000;

/** Continues an outage by a failure, or starts a new one: another worker may have sent what would have ended the old one. */
function addFailure(outage: Outage | undefined, now: number, maxMs: number): Outage {
  const isOver = outage === undefined || now - outage.last > Math.max(maxMs, MAX_QUIET_MS);
  return { since: isOver ? now : outage.since, last: now };
}

export type Outages = ReturnType<typeof createOutages>;

/**
 * Creates what distinguishes services that are down, which is no fault of a batch, from batches that fail while others succeed.
 *
 * @param maxMs - for how long a service may be down, in milliseconds
 */
export function createOutages(maxMs: number) {
  /** For each batch that has failed, how many had succeeded by then. */
  const failed = new Map<string, number>();
  /** Outages of the place that files are read from, by the batches that need them. */
  const unread = new Map<string, Outage>();
  let succeeded = 0;
  let outage: Outage | undefined;
  let mismatches = 0;
  return {
    /** Whether a failure is at least the second mismatch without a batch that was sent in between: all others would end so. */
    isRepeatedMismatch(error: unknown): boolean {
      if (!isMismatch(error)) return false;
      mismatches++;
      return mismatches > 1;
    },
    /** Whether a failure is that of a service that is down, and not for too long: then it is not counted as an attempt. */
    covers(batch: string, error: unknown): boolean {
      if (!isOutage(error)) return false;
      const now = performance.now();
      if (isOfSource(error)) {
        // A store may throttle some of its files while it sends others.
        const own = addFailure(unread.get(batch), now, maxMs);
        unread.set(batch, own);
        return now - own.since < maxMs;
      }
      outage = addFailure(outage, now, maxMs);
      const before = failed.get(batch) ?? succeeded;
      failed.set(batch, succeeded);
      return before === succeeded && now - outage.since < maxMs;
    },
    /** Records that files of a batch are stored: nothing is down. */
    end(batch: string): void {
      failed.delete(batch);
      unread.delete(batch);
      succeeded++;
      outage = undefined;
      mismatches = 0;
    },
  };
}
