const MINUTE_MS = 60_000;
const SECOND_MS = 1_000;

/** So many batches may start within so many milliseconds. */
export interface StartWindow {
  max: number;
  duration: number;
}

/** More than any engine starts in a second, and no more than the largest integer of PostgreSQL. */
const NO_LIMIT = 1_000_000_000;

/**
 * Returns the window for a number of batches per minute: of about a second, or longer for less than one batch in it, so that
 * batches start evenly. Without a number, nothing is limited, but a window has to exist for workers to be held.
 */
export function toStartWindow(batchesPerMinute: number | undefined): StartWindow {
  if (batchesPerMinute === undefined) return { max: NO_LIMIT, duration: SECOND_MS };
  const max = Math.max(1, Math.floor((batchesPerMinute * SECOND_MS) / MINUTE_MS));
  return { max, duration: Math.ceil((max * MINUTE_MS) / batchesPerMinute) };
}
