import { isOutage } from "./classify-error.ts";

/** Distinguishes services that are down, which is no fault of a batch, from batches that fail while others succeed. */
export interface Outages {
  /** Whether a failure is that of a service that is down, and not for too long: then it is not counted as an attempt. */
  covers(batch: string, error: unknown): boolean;
  /** Records that a batch was sent: nothing is down. */
  end(batch: string): void;
}

/** @param maxMs - for how long a service may be down, in milliseconds */
export function createOutages(maxMs: number): Outages {
  /** For each batch that has failed, how many had succeeded by then. */
  const failed = new Map<string, number>();
  let succeeded = 0;
  let since: number | undefined;
  return {
    covers(batch, error) {
      if (!isOutage(error)) return false;
      const now = performance.now();
      since ??= now;
      const before = failed.get(batch) ?? succeeded;
      failed.set(batch, succeeded);
      return before === succeeded && now - since < maxMs;
    },
    end(batch) {
      failed.delete(batch);
      succeeded++;
      since = undefined;
    },
  };
}
