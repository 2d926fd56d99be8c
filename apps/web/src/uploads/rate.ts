/** How long the latest progress is measured, in milliseconds. */
const WINDOW_MS = 8_000;
/** Shorter measurements say nothing. */
const MIN_MS = 1_500;

/** How fast something is, and how long it still takes. */
interface Rate {
  bytesPerSecond: number;
  secondsLeft: number;
}

/** Measures the rate of work from its progress. */
export interface RateMeter {
  /** Returns the rate, once there is one. `done` and `size` are in bytes. */
  measure(done: number, size: number, now: number): Rate | undefined;
}

export function createRateMeter(): RateMeter {
  let samples: { done: number; now: number }[] = [];
  return {
    measure(done, size, now) {
      // It started again, or something was added.
      if (done < (samples.at(-1)?.done ?? 0)) samples = [];
      samples.push({ done, now });
      while ((samples[1]?.now ?? now) < now - WINDOW_MS) samples.shift();
      const [first = { done, now }] = samples;
      const elapsed = now - first.now;
      const bytesPerSecond = ((done - first.done) / elapsed) * 1_000;
      if (elapsed < MIN_MS || !(bytesPerSecond > 0)) return undefined;
      return { bytesPerSecond, secondsLeft: (size - done) / bytesPerSecond };
    },
  };
}
