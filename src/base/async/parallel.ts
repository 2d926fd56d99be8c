import { aborted } from "../errors/transport.ts";
import { onAbort, untilAborted } from "./abort.ts";

/**
 * Runs `work` on every item, on at most `limit` of them at once, and yields the results in the order of the items. If it
 * ends early, the signal that `work` received fires, and it waits for the work that is still running.
 *
 * @throws `ABORTED`; what the items and `work` throw
 */
export async function* mapInOrder<Item, Result>(
  items: Iterable<Item> | AsyncIterable<Item>,
  { limit, signal }: { limit: number; signal: AbortSignal | undefined },
  work: (item: Item, signal: AbortSignal) => Promise<Result>,
): AsyncGenerator<Result> {
  // One for each item: many listeners on one signal, such as those of streams, make Node warn of a leak.
  const ends = new Set<AbortController>();
  const endAll = () => {
    for (const end of ends) end.abort(signal?.reason);
  };
  const removeCallback = onAbort(signal, endAll);
  const running: Promise<Result>[] = [];
  const iterator = Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]();
  try {
    if (signal?.aborted) throw aborted(signal.reason);
    for (;;) {
      // An item that never comes must not delay an abort.
      const { done, value } = await untilAborted(Promise.resolve(iterator.next()), signal);
      if (done) break;
      const end = new AbortController();
      ends.add(end);
      const result = work(value, end.signal).finally(() => ends.delete(end));
      // It may fail before its turn.
      result.catch(() => undefined);
      running.push(result);
      if (running.length === limit) yield (await running.shift()) as Result;
    }
    while (running.length > 0) yield (await running.shift()) as Result;
  } finally {
    removeCallback();
    endAll();
    void Promise.resolve(iterator.return?.()).catch(() => undefined);
    await Promise.allSettled(running);
  }
}

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
