import { browserStorageFull } from "../../base/errors/source.ts";

/**
 * Waits for bytes to be kept.
 *
 * @throws `CANNOT_WRITE` if the browser has not kept them, with its estimate of the room that this site has
 */
export async function ensureKept<T>(keeping: Promise<T>): Promise<T> {
  try {
    return await keeping;
  } catch (error) {
    throw browserStorageFull(await estimateRoom(), error);
  }
}

/** Estimates how much of its quota this site uses; `undefined` if the browser does not say. */
export async function estimateRoom(): Promise<{ usedBytes: number; quotaBytes: number } | undefined> {
  try {
    const { usage, quota } = await navigator.storage.estimate();
    return usage === undefined || quota === undefined ? undefined : { usedBytes: usage, quotaBytes: quota };
  } catch {
    return undefined;
  }
}
