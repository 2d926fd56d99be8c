import { deriveSignal, onAbort, throwIfAborted, untilAborted, wait } from "./abort.ts";

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
    throwIfAborted(signal);
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
 * Runs work until one of it succeeds: the next one starts once all before it have failed or the last takes too long. When it
 * ends, the signal of everything that is still running fires.
 *
 * @throws `ABORTED`; the errors of all work as an `AggregateError`, in the order of `works`
 */
export async function hedge<T>(works: readonly HedgedWork<T>[], signal: AbortSignal | undefined): Promise<T> {
  const common = deriveSignal(signal);
  const running: Promise<T>[] = [];
  try {
    for (const { run, patienceMs } of works) {
      throwIfAborted(common.signal);
      running.push(run(common.signal));
      const first = Promise.any(running).then((result) => ({ result }));
      const outcome = await Promise.race([first.catch(() => undefined), wait(patienceMs, common.signal)]);
      if (outcome) return outcome.result;
    }
    return await untilAborted(Promise.any(running), common.signal);
  } finally {
    common.end();
  }
}
