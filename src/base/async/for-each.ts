import { aborted } from "../errors/transport.ts";
import { onAbort } from "./abort.ts";

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
  const removeCallback = onAbort(signal, () => fail(aborted(signal?.reason)));
  const next = () =>
    new Promise<IteratorResult<T, unknown>>((resolve, reject) => {
      fail = reject;
      if (signal?.aborted) reject(aborted(signal.reason));
      else iterator.next().then(resolve, reject);
    });
  let isEnded = false;
  try {
    for (let each = await next(); !each.done; each = await next()) await receive(each.value);
    isEnded = true;
  } finally {
    removeCallback();
    if (!isEnded) void Promise.resolve(iterator.return?.()).catch(() => undefined);
  }
}
