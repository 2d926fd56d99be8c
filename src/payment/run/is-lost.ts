/** When something was observed. */
export interface Moment {
  /** By `performance.now()`. */
  ms: number;
  /** The latest block. */
  block: number;
}

/** How many blocks must be mined without a transaction that no node knows. */
const LOST_BLOCKS = 12;

/** How many times as long to wait on a chain that stands still. */
const STALLED_FACTOR = 5;

/**
 * Decides whether a transaction that nodes have not known since a moment is lost. Nodes lag behind each other, and some
 * do not show each other's pending transactions: only time and blocks together show that it is not about to be mined.
 * Blocks take from less than a second to 30.
 *
 * @param missingMs - the least time, in milliseconds
 */
export function isLost(since: Moment, now: Moment, missingMs: number): boolean {
  const elapsedMs = now.ms - since.ms;
  if (elapsedMs < missingMs) return false;
  return now.block - since.block >= LOST_BLOCKS || elapsedMs >= STALLED_FACTOR * missingMs;
}
