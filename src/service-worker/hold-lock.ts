import { lockName } from "./messages.ts";

/** Resolves once the lock of this id is held, until `signal` fires. */
export function holdLock(id: string, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const hold = () =>
      new Promise<void>((release) => {
        signal.addEventListener("abort", () => release(), { once: true });
        if (signal.aborted) release();
        resolve();
      });
    navigator.locks.request(lockName(id), hold).catch(reject);
  });
}

/** Calls `onRelease` when nobody holds the lock of this id any more, unless `signal` fires before. */
export function onLockReleased(id: string, signal: AbortSignal, onRelease: () => void): void {
  navigator.locks.request(lockName(id), { mode: "shared", signal }, onRelease).catch(() => undefined);
}
