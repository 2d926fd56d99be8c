import { isKeeplightError } from "keeplight";
import { isStoredAs, wait } from "keeplight/parts";
import type { Control } from "./control.ts";
import type { Endpoint } from "./endpoint.ts";
import type { EntryOfUpload } from "./entry.ts";
import type { ResolvedUploader } from "./options.ts";
import type { Retry } from "./retry.ts";

/** What waiting for an upload works with. */
export interface Storing extends EntryOfUpload {
  options: ResolvedUploader;
  endpoint: Endpoint;
  control: Control;
  retry: Retry;
}

/** Returns where a file is stored, if that is proved, and known for good. */
export function getKnownCid({ entry }: EntryOfUpload): string | undefined {
  const [file] = entry.state.files;
  const cid = file?.stored?.Hash;
  if (!file || cid === undefined) return undefined;
  // A node has a shard only under a content id that was proved.
  return file.nodesDone.length > 0 || isStoredAs({ attempts: file.attempts }, cid) ? cid : undefined;
}

/**
 * Saves the key of a file under its content id, once that is proved to be the file's.
 *
 * @throws `CID_MISMATCH` if it is not; what saving keys throws
 */
export async function saveKey({ steps, retry, control }: Storing, cid: string): Promise<void> {
  await retry.run(() => steps.saveKeys([0], [cid], control.signal));
}

/** Waits for an upload that is complete; returns its content id, or `undefined` if the endpoint does not know it any more. */
export async function waitUntilStored(
  { entry, endpoint, retry, control }: Storing,
  url: string,
): Promise<string | undefined> {
  for (;;) {
    const stored = await retry
      .run((signal) => endpoint.getStored(url, signal))
      .catch(async (error: unknown) => {
        // It is not going to be stored: when it is tried again, it is sent again.
        if (isRefused(error)) await entry.update({ url: undefined });
        throw error;
      });
    if (stored === undefined || "cid" in stored) return stored?.cid;
    await wait(stored.retryAfterMs, control.signal);
  }
}

/** Whether the endpoint refuses the file, not the request. */
function isRefused(error: unknown): boolean {
  if (!isKeeplightError(error)) return false;
  if (error.code === "UPLOAD_REFUSED") return !["access", "origin"].includes(error.details.reason);
  return ["INVALID_SOURCE", "FILE_TOO_LARGE", "DUPLICATE_NAME"].includes(error.code);
}

/** Finds out where a file is stored that the endpoint may have stored, and forgotten, long ago. */
export async function findForgotten(storing: Storing, url: string): Promise<string | undefined> {
  const { steps, endpoint, retry, control, options } = storing;
  const stored = await retry.run((signal) => endpoint.getStored(url, signal));
  if (stored && "cid" in stored) return stored.cid;
  // A file that is not encrypted may be another account's.
  return options.encrypt ? retry.run(() => steps.locate(0, control.signal)) : undefined;
}
