/** Notices a peer that keeps silent. */
export interface IdleWatch {
  /** The peer has to send or take bytes from now on. Call it again at every sign of life. */
  expect(): void;
  /** Nothing is expected of the peer: this side is busy, or the peer may think for as long as it likes. */
  rest(): void;
}

/**
 * Calls `onIdle` once the peer has been silent for `limitMs` while something was expected of it. Costs no timer per
 * chunk: one that is early is set again for what is left.
 */
export function watchIdle(limitMs: number, onIdle: () => void): IdleWatch & { end(): void } {
  let since: number | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function check(expired?: number): void {
    timer = undefined;
    if (since === undefined) return;
    const left = since + limitMs - performance.now();
    if (left > 0) arm(left);
    else if (since === expired) onIdle();
    // Bytes that came in while this thread was busy are read after a timer that is late.
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
