import { aborted } from "../errors/transport.ts";
import { throwIfAborted } from "./abort.ts";

/** Runs a task as soon as fewer than the limit are running. */
export type Semaphore = <T>(task: () => Promise<T>, signal: AbortSignal | undefined) => Promise<T>;

/** Makes a gate that lets at most `limit` tasks run at once, first come first served. */
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
      const onTurn = () => {
        signal?.removeEventListener("abort", onAbort);
        resolve();
      };
      const onAbort = () => {
        waiting.splice(waiting.indexOf(onTurn), 1);
        reject(aborted(signal?.reason));
      };
      waiting.push(onTurn);
      signal?.addEventListener("abort", onAbort, { once: true });
    });
  }

  function leave(): void {
    const next = waiting.shift();
    if (next) next();
    else running--;
  }

  return async (task, signal) => {
    await enter(signal);
    try {
      return await task();
    } finally {
      leave();
    }
  };
}
