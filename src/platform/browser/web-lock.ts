/** A lock of this site. One page or worker has it at a time; when that ends, for any reason, it is free at once. */
export interface WebLock {
  /** Whether no other page has stolen it. */
  isHeld(): boolean;
  /** Resolves once it is free. */
  release(): Promise<void>;
}

/** Takes a lock; returns `undefined` if a page or worker has it, even this one. */
export function takeWebLock(name: string): Promise<WebLock | undefined> {
  return new Promise((resolve, reject) => {
    let isOver = false;
    const ended = navigator.locks
      .request(name, { ifAvailable: true }, (lock) => {
        if (!lock) return resolve(undefined);
        return new Promise<void>((free) => {
          const release = () => {
            free();
            return ended;
          };
          resolve({ isHeld: () => !isOver, release });
        });
      })
      // Without effect if the lock was stolen after it was taken.
      .catch(reject)
      .finally(() => {
        isOver = true;
      });
  });
}
