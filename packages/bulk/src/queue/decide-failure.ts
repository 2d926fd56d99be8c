import { isOfDatabase } from "../ledger/database-error.ts";
import { endsRun, getRetryAfterMs, isMismatch, isOfProcess } from "../run/classify-error.ts";

/** What follows a failed batch of a queue. */
export interface Consequence {
  /**
   * `leave`: any worker tries it again, and no attempt is counted. `retry`: any worker tries it again, later. `pause`: the plan.
   * `setAside`: its files.
   */
  outcome: "leave" | "retry" | "pause" | "setAside";
  /** For how long no worker starts a batch, in milliseconds. */
  holdMs: number;
  /** For how long this worker starts no further batch, in milliseconds. */
  restMs: number;
}

/** For how long a worker rests when a service, the ledger or itself is in no state to send, in milliseconds. */
const REST_MS = 5_000;

/**
 * Decides what follows an error of a batch. What only this worker may have, such as a network that is down or a folder that
 * is not there, stops neither the plan nor other workers, and uses up no attempt.
 *
 * @param isCovered - whether it is part of an outage that is waited for
 * @param isLast - whether the batch has no attempts left
 */
export function decideFailure(
  error: unknown,
  { isCovered, isLast }: { isCovered: boolean; isLast: boolean },
): Consequence {
  const holdMs = getRetryAfterMs(error);
  if (isOfDatabase(error) || isOfProcess(error)) return { outcome: "leave", holdMs: 0, restMs: REST_MS };
  if (endsRun(error)) return { outcome: "pause", holdMs, restMs: 0 };
  if (isCovered) return { outcome: "leave", holdMs, restMs: holdMs > 0 ? 0 : REST_MS };
  return { outcome: isLast || isMismatch(error) ? "setAside" : "retry", holdMs, restMs: 0 };
}
