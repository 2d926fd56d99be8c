import type { KeeplightError } from "../../errors/base.ts";
import { browserStorageFull } from "../../errors/source.ts";

/** Returns `CANNOT_WRITE` for bytes that the browser has not kept, with its estimate of the room that this site has. */
export async function cannotKeep(cause: unknown): Promise<KeeplightError> {
  return browserStorageFull(await estimateRoom(), cause);
}

async function estimateRoom(): Promise<{ usedBytes: number; quotaBytes: number } | undefined> {
  try {
    const { usage, quota } = await navigator.storage.estimate();
    return usage === undefined || quota === undefined ? undefined : { usedBytes: usage, quotaBytes: quota };
  } catch {
    return undefined;
  }
}
