import { wait } from "keeplight/parts";

const MINUTE_MS = 60_000;

/** Paces the batches of all workers of this process. */
export interface Limiter {
  /** Resolves when the next batch may start. */
  take(signal: AbortSignal): Promise<void>;
  /** Lets no batch start for so long, as a service has requested. */
  hold(ms: number): void;
}

export function createLimiter(batchesPerMinute: number | undefined): Limiter {
  const interval = batchesPerMinute === undefined ? 0 : MINUTE_MS / batchesPerMinute;
  let next = 0;
  return {
    async take(signal) {
      const now = performance.now();
      const at = Math.max(now, next);
      next = at + interval;
      if (at > now) await wait(at - now, signal);
    },
    hold(ms) {
      next = Math.max(next, performance.now() + ms);
    },
  };
}
