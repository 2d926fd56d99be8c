import { aborted } from "../errors/transport.ts";
import { shared } from "../shared.ts";
import { onAbort, throwIfAborted, untilAborted } from "./abort.ts";

/** The end of the latest work under each key. */
const ends = shared("queue", () => new Map<string, Promise<void>>());

/**
 * Runs `work` after everything that was queued under the same key before it. Payments of one account run one after
 * another: concurrently they would take each other's nonce and allowance. Changes to one file's key do too: an
 * earlier one must not take effect last.
 *
 * @throws `ABORTED` while it waits; what `work` throws
 */
export async function queued<T>(key: string, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
  const before = ends.get(key) ?? Promise.resolve();
  let done = (): void => undefined;
  const finished = new Promise<void>((resolve) => (done = resolve));
  const end = before.then(() => finished);
  ends.set(key, end);
  // Not as soon as `work` ends: if it was aborted while it waited, earlier work is still running.
  void end.then(() => ends.get(key) === end && ends.delete(key));
  try {
    await untilAborted(before, signal);
    return await work();
  } finally {
    done();
  }
}

/** Runs a task as soon as fewer than the limit are running. */
export type Semaphore = <T>(task: () => Promise<T>, signal: AbortSignal | undefined) => Promise<T>;

/** Creates a semaphore that runs at most `limit` tasks at once, in the order of arrival. */
export function createSemaphore(limit: number): Semaphore {
  let running = 0;
  const waiting = new Set<() => void>();

  function waitForTurn(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      // It takes over the place of the task that ends.
      const start = () => {
        waiting.delete(start);
        removeCallback();
        resolve();
      };
      waiting.add(start);
      const removeCallback = onAbort(signal, () => {
        waiting.delete(start);
        reject(aborted(signal?.reason));
      });
    });
  }

  return async (task, signal) => {
    throwIfAborted(signal);
    if (running < limit) running++;
    else await waitForTurn(signal);
    try {
      return await task();
    } finally {
      const [next] = waiting;
      if (next) next();
      else running--;
    }
  };
}

/**
 * Resolves to the results of work that runs in parallel, once all of it has settled: nothing is left running. If several
 * fail, throws the failure of the first in the list, not of the fastest.
 */
export async function allInOrder<const T extends readonly unknown[]>(
  work: T,
): Promise<{ -readonly [Key in keyof T]: Awaited<T[Key]> }> {
  await Promise.allSettled(work);
  const results: unknown[] = [];
  for (const one of work) results.push(await one);
  return results as { -readonly [Key in keyof T]: Awaited<T[Key]> };
}
