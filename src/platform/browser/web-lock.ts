/** A lock of this site. One page or worker has it at a time; when that ends, for any reason, it is free at once. */
export interface WebLock {
  /** Whether no other page has stolen it. */
  isHeld(): boolean;
  /** Resolves once it is free. */
  release(): Promise<void>;
}

/** Waits for a lock, and takes it. With `ifAvailable`, returns `undefined` if a page or worker has it, even this one. */
export function takeWebLock(name: string): Promise<WebLock>;
export function takeWebLock(name: string, options: { ifAvailable: true }): Promise<WebLock | undefined>;
export function takeWebLock(name: string, options: LockOptions = {}): Promise<WebLock | undefined> {
  return new Promise((resolve, reject) => {
    let isOver = false;
    const ended = navigator.locks
      .request(name, options, (lock) => {
        if (!lock) return resolve(undefined);
        return new Promise<void>((free) => {
          resolve({
            isHeld: () => !isOver,
            release() {
              free();
              return ended;
            },
          });
        });
      })
      // Without effect if the lock was stolen after it was taken.
      .catch(reject)
      .finally(() => {
        isOver = true;
      });
  });
}
