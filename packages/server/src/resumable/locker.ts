import { access, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Locker } from "@tus/server";
import type { Spool } from "./spool.ts";

/** For how long a request waits until another one of the same upload has ended, in milliseconds. */
const MAX_WAIT_MS = 30_000;
const LOOK_AGAIN_MS = 200;

/** Clients try the same upload again after this (RFC 4918, 11.3), and start another one after any other error. */
export const LOCKED = { status_code: 423, body: "Another request is at this upload" };

/** A request that has an upload. */
interface Holder {
  /** Ends it, as a newer one has come: the client has lost its connection. */
  requestRelease(): Promise<void> | void;
  released: Promise<void>;
}

/**
 * Creates the locks by which one request at a time changes an upload, of all processes that share the spool. A request ends for a
 * newer one. A lock is released once nothing is written any more.
 */
export function createLocker(spool: Spool): Locker {
  const holders = new Map<string, Holder>();

  /** A file by which a request of another process says that it waits. */
  const wantedOf = (id: string) => join(spool.folderOf(id), "wanted");

  async function waitForTurn(id: string, end: AbortSignal): Promise<void> {
    for (let holder = holders.get(id); holder; holder = holders.get(id)) {
      await holder.requestRelease();
      await Promise.race([holder.released, untilAborted(end)]);
      if (end.aborted) throw LOCKED;
    }
  }

  /** Takes the lock of all processes; `undefined` if there is no such upload. */
  async function takeFileLock(id: string, end: AbortSignal) {
    while (await spool.has(id)) {
      const lock = await spool.takeLock(id, "request");
      if (lock) {
        await rm(wantedOf(id), { force: true });
        return lock;
      }
      if (end.aborted) throw LOCKED;
      await writeFile(wantedOf(id), "").catch(ignoreMissing);
      await pause(LOOK_AGAIN_MS);
    }
    return undefined;
  }

  return {
    newLock(id) {
      let release = (): void => undefined;
      let onDisk: Awaited<ReturnType<typeof spool.takeLock>>;
      let watch: ReturnType<typeof setInterval> | undefined;
      return {
        async lock(signal, requestRelease) {
          const end = AbortSignal.any([signal, AbortSignal.timeout(MAX_WAIT_MS)]);
          await waitForTurn(id, end);
          const released = new Promise<void>((resolve) => {
            release = () => {
              holders.delete(id);
              resolve();
            };
          });
          holders.set(id, { requestRelease, released });
          try {
            onDisk = await takeFileLock(id, end);
          } catch (error) {
            release();
            throw error;
          }
          const look = () => void access(wantedOf(id)).then(requestRelease, () => undefined);
          if (onDisk) watch = setInterval(look, LOOK_AGAIN_MS).unref();
        },
        async unlock() {
          clearInterval(watch);
          await spool.untilWritten(id);
          // Its number stays taken: others may be looking at it.
          await onDisk?.release().catch(() => undefined);
          release();
        },
      };
    },
  };
}

function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
}
