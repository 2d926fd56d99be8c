import { aborted } from "../errors/transport.ts";
import { onAbort, throwIfAborted } from "./abort.ts";

/** Runs a task as soon as fewer than the limit are running. */
export type Semaphore = <T>(task: () => Promise<T>, signal: AbortSignal | undefined) => Promise<T>;

/** Creates a semaphore that runs at most `limit` tasks at once, in the order of arrival. */
export function createSemaphore(limit: number): Semaphore {
  let running = 0;
  const waiting: (() => void)[] = [];

  function enter(signal: AbortSignal | undefined): Promise<void> {
    throwIfAborted(signal);
    if (running < limit) {
      running++;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const onRelease = () => {
        removeCallback();
        resolve();
      };
      waiting.push(onRelease);
      const removeCallback = onAbort(signal, () => {
        waiting.splice(waiting.indexOf(onRelease), 1);
        reject(aborted(signal?.reason));
      });
    });
  }

  function release(): void {
    const next = waiting.shift();
    if (next) next();
    else running--;
  }

  return async (task, signal) => {
    await enter(signal);
    try {
      return await task();
    } finally {
      release();
    }
  };
}
