import { aborted } from "../errors/transport.ts";
import { onAbort } from "./abort.ts";

/** One of several ways to the same result. */
export interface HedgedWork<T> {
  /** How long to wait for it before the next one starts as well, in milliseconds. */
  patienceMs: number;
  run(signal: AbortSignal): Promise<T>;
}

/**
 * Runs work until one of it succeeds: the next one starts once one has failed or takes too long. When it ends, the signal
 * of everything that is still running fires.
 *
 * @throws `ABORTED`; the errors of all work as an `AggregateError`, in the order of `works`
 */
export function hedge<T>(works: readonly HedgedWork<T>[], signal: AbortSignal | undefined): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const end = new AbortController();
    const errors: unknown[] = [];
    let started = 0;
    let failed = 0;
    let timer: ReturnType<typeof setTimeout> | undefined;

    function settle(outcome: () => void): void {
      clearTimeout(timer);
      removeCallback();
      outcome();
      end.abort();
    }

    function startNext(): void {
      clearTimeout(timer);
      const at = started++;
      const work = works[at];
      if (!work) return;
      work.run(end.signal).then(
        (result) => settle(() => resolve(result)),
        (error: unknown) => {
          errors[at] = error;
          failed++;
          if (end.signal.aborted) return;
          if (failed === works.length) settle(() => reject(new AggregateError(errors)));
          else if (started === failed) startNext();
        },
      );
      if (started < works.length) timer = setTimeout(startNext, work.patienceMs);
    }

    if (signal?.aborted) return reject(aborted(signal.reason));
    const removeCallback = onAbort(signal, () => settle(() => reject(aborted(signal?.reason))));
    startNext();
  });
}
