/** Detects a silent peer. */
export interface IdleWatch {
  /** The peer has to send or take bytes from now on. Call it again at every sign of life. */
  expect(): void;
  /** Nothing is expected of the peer: this side is busy, or the peer may take its time to respond. */
  rest(): void;
}

/**
 * Calls `onIdle` once the peer has been silent for `limitMs` while something was expected of it. Needs no timer per
 * chunk: a timer that fires early is set again for the remaining time.
 */
export function watchIdle(limitMs: number, onIdle: () => void): IdleWatch & { end(): void } {
  let since: number | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function check(expired?: number): void {
    timer = undefined;
    if (since === undefined) return;
    const remaining = since + limitMs - performance.now();
    if (remaining > 0) arm(remaining);
    else if (since === expired) onIdle();
    // A late timer runs before the bytes are read that arrived while this thread was busy.
    else arm(1, since);
  }

  function arm(ms: number, expired?: number): void {
    timer = setTimeout(check, ms, expired);
  }

  return {
    expect() {
      since = performance.now();
      if (timer === undefined) arm(limitMs);
    },
    rest() {
      since = undefined;
    },
    end() {
      since = undefined;
      clearTimeout(timer);
    },
  };
}
