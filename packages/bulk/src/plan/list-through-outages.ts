import { throwIfAborted, wait } from "keeplight/parts";
import { getRetryAfterMs, isOutage, MAX_OUTAGE_WAIT_MS, reportError } from "../outages.ts";
import type { BulkFile, BulkListing, SkippedPath } from "./plan.ts";

/** How a place that is down is waited for. */
export interface OutageOptions {
  /** For how long, in milliseconds. */
  outageMs: number;
  /** Receives its failures. */
  onError: ((error: unknown) => void) | undefined;
  signal: AbortSignal | undefined;
}

const FIRST_WAIT_MS = 1_000;

/** Lists files behind a path, and continues behind the last one whenever their place was down. */
export async function* listThroughOutages(
  source: BulkListing,
  after: string | undefined,
  onSkipped: ((skipped: SkippedPath) => void) | undefined,
  { outageMs, onError, signal }: OutageOptions,
): AsyncGenerator<BulkFile> {
  let last = after;
  let since: number | undefined;
  let failures = 0;
  /** What was left out behind the last file: it is found again. */
  const skipped = new Set<string>();
  const skipOnce = (each: SkippedPath) => {
    if (skipped.has(each.path)) return;
    skipped.add(each.path);
    onSkipped?.(each);
  };
  for (;;) {
    try {
      for await (const file of source.list(last, onSkipped && skipOnce, signal)) {
        yield file;
        last = file.path;
        skipped.clear();
        since = undefined;
        failures = 0;
      }
      return;
    } catch (error) {
      throwIfAborted(signal);
      const now = performance.now();
      since ??= now;
      if (!isOutage(error) || now - since >= outageMs) throw error;
      reportError(onError, error);
      const waitMs = Math.min(FIRST_WAIT_MS * 2 ** failures++, MAX_OUTAGE_WAIT_MS);
      await wait(Math.max(waitMs, getRetryAfterMs(error)), signal);
    }
  }
}
