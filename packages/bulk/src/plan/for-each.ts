import { throwIfAborted } from "keeplight/parts";

/**
 * Calls `receive` with each of `items`, one after the other; rejects with `ABORTED` as soon as `signal` fires, even while an item
 * is awaited. `items` is closed at the end of the call, which does not wait for that.
 */
export async function forEachUntilAborted<T>(
  items: AsyncIterable<T>,
  signal: AbortSignal | undefined,
  receive: (item: T) => Promise<void>,
): Promise<void> {
  const iterator = items[Symbol.asyncIterator]();
  let fail: (reason: unknown) => void = () => undefined;
  const onAbort = () => {
    try {
      throwIfAborted(signal);
    } catch (error) {
      fail(error);
    }
  };
  const next = () =>
    new Promise<IteratorResult<T, unknown>>((resolve, reject) => {
      fail = reject;
      throwIfAborted(signal);
      iterator.next().then(resolve, reject);
    });
  let isEnded = false;
  // One listener for millions of items.
  signal?.addEventListener("abort", onAbort, { once: true });
  try {
    for (let each = await next(); !each.done; each = await next()) await receive(each.value);
    isEnded = true;
  } finally {
    signal?.removeEventListener("abort", onAbort);
    if (!isEnded) void Promise.resolve(iterator.return?.()).catch(() => undefined);
  }
}
