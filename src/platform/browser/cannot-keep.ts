import { KeeplightError } from "../../errors/base.ts";

/** `CANNOT_WRITE` for bytes that the browser has not kept, with what it says of the room this site has. */
export async function cannotKeep(cause: unknown): Promise<KeeplightError> {
  const room = await roomOfSite();
  const used = room ? ` (${room.usedBytes} of ${room.quotaBytes} bytes are in use)` : "";
  const message = `Could not write: the browser has no more room for this site${used}. Private windows have less of it`;
  return new KeeplightError("CANNOT_WRITE", message, { details: { path: "the browser's storage", ...room }, cause });
}

async function roomOfSite(): Promise<{ usedBytes: number; quotaBytes: number } | undefined> {
  try {
    const { usage, quota } = await navigator.storage.estimate();
    return usage === undefined || quota === undefined ? undefined : { usedBytes: usage, quotaBytes: quota };
  } catch {
    return undefined;
  }
}
