import { untilAborted } from "./abort.ts";

const ends = new Map<string, Promise<unknown>>();

/**
 * Runs `work` after all that was queued under the same key before it. Payments of one account go one after the other:
 * side by side they would take each other's nonce and allowance.
 *
 * @throws `ABORTED` while it waits; what `work` throws
 */
export async function queued<T>(key: string, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
  const before = ends.get(key) ?? Promise.resolve();
  let done = (): void => undefined;
  const end = Promise.all([before, new Promise<void>((resolve) => (done = resolve))]);
  ends.set(key, end);
  try {
    await untilAborted(before, signal);
    return await work();
  } finally {
    done();
    if (ends.get(key) === end) ends.delete(key);
  }
}
