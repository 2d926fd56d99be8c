import type { Locker } from "@tus/server";
import { isEnded, type Spool } from "./spool.ts";
import type { Storing } from "./storing.ts";

/** How often what is too old is looked for, and what another process has left, in milliseconds. */
const TIDY_MS = 600_000;

/**
 * Creates what continues with uploads that nobody is at, and removes those that are too old. What concerns one upload is reported,
 * and does not stop the others.
 *
 * @param maxAgeMs - for how long an upload waits for its next byte, or stays available after its end, in milliseconds
 */
export function createTidying(
  spool: Spool,
  locker: Locker,
  storing: Storing,
  { maxAgeMs, report }: { maxAgeMs: number; report(error: unknown): void },
) {
  let resumed: Promise<void> | undefined;
  let isStarted = false;

  async function tidy(): Promise<void> {
    await storing.resume();
    for (const id of await spool.list()) await removeIfOld(id).catch(report);
  }

  async function removeIfOld(id: string): Promise<void> {
    if (!(await isOld(id))) return;
    const lock = locker.newLock(id);
    await lock.lock(new AbortController().signal, () => undefined);
    try {
      // It may have been continued meanwhile.
      if (await isOld(id)) await spool.remove(id);
    } finally {
      await lock.unlock();
    }
  }

  async function isOld(id: string): Promise<boolean> {
    const record = await spool.read(id);
    const isWaiting = record && !isEnded(record) && (await spool.countArrived(id)) === record.size;
    return !isWaiting && Date.now() - (await spool.lastChange(id)) > maxAgeMs;
  }

  return {
    /** Starts with it; the first call looks at all uploads. */
    resume(): Promise<void> {
      if (!isStarted) setInterval(() => void tidy().catch(report), Math.min(TIDY_MS, maxAgeMs)).unref();
      isStarted = true;
      resumed ??= storing.resume().catch((error) => {
        resumed = undefined;
        throw error;
      });
      return resumed;
    },
  };
}
