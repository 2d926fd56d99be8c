/** A stream that sends less is slow, in bytes per second: several ranges at once may be faster. */
const SLOW_BYTES_PER_SECOND = 16 * 1024 * 1024;

/** How long a stream is waited for before it is judged, in milliseconds. */
const JUDGED_AFTER_MS = 500;

/** With less of a file left, nothing is gained by other requests, in bytes. */
const MIN_BYTES_LEFT = 4 * 1024 * 1024;

/** Judges how fast a stream sends. */
export interface StreamPace {
  /** Receives a chunk, and how long the consumer has waited for it, in milliseconds. */
  add(bytes: number, waitedMs: number): void;
  /** Whether so many bytes should be requested in another way. */
  isSlow(bytesLeft: number): boolean;
}

/** Only the time counts in which the stream is waited for: its consumer may be slower. */
export function createPace(): StreamPace {
  let bytes = 0;
  let ms = 0;
  let isSlow = false;
  return {
    add(size, waitedMs) {
      bytes += size;
      ms += waitedMs;
      if (ms < JUDGED_AFTER_MS) return;
      isSlow = bytes < (SLOW_BYTES_PER_SECOND * ms) / 1000;
      bytes = 0;
      ms = 0;
    },
    isSlow: (bytesLeft) => isSlow && bytesLeft >= MIN_BYTES_LEFT,
  };
}
