import { isKeeplightError } from "keeplight";
import { createUploadSteps, type Entry, getOwnerAddress, isSameAddress, plaintextSize } from "keeplight/parts";
import type { Control } from "./control.ts";
import { createEndpoint } from "./endpoint.ts";
import {
  forgetDone,
  getFileState,
  isStale,
  mayBeComplete,
  resolveOwner,
  setDone,
  UPPY_KIND,
  type UploaderState,
} from "./entry.ts";
import type { ResolvedUploader } from "./options.ts";
import { createRetry } from "./retry.ts";
import { findForgotten, getKnownCid, type Storing, saveKey, waitUntilStored } from "./storing.ts";

/** A file that an earlier page had sent whole: stored, with its key saved, or why it is not. */
export type CompletedFile =
  | {
      /** Name that it is stored under. */
      name: string;
      /** Content id. */
      cid: string;
      /** Of the file as it was picked, in bytes. */
      size: number;
    }
  | {
      /** Name that it is to be stored under. */
      name: string;
      /** It stays in the journal. */
      error: unknown;
    };

/** Saves the keys of files that earlier pages had sent whole, by this account to this endpoint. Requires none of the files. */
export async function completeSent(options: ResolvedUploader, control: Control): Promise<CompletedFile[]> {
  const { encrypt, entries, endpoint } = options;
  if (!encrypt) return [];
  await control.ready();
  const address = await getOwnerAddress(resolveOwner(options, control.signal));
  const completed: CompletedFile[] = [];
  for (const listed of await entries.list()) {
    if ("error" in listed || listed.kind !== UPPY_KIND) continue;
    const state = listed.state as UploaderState;
    const [file] = state.files;
    if (isStale(state)) await forgetDone(options, listed.id, isStale).catch(() => undefined);
    if (!file || !mayBeComplete({ state }) || !state.url?.startsWith(`${endpoint}/`)) continue;
    if (!isSameAddress(state.owner, address)) continue;
    try {
      completed.push(...(await completeEntry(listed.id, options, control)));
    } catch (error) {
      // Another page completes it.
      const isTaken = isKeeplightError(error, "JOURNAL_ENTRY_BUSY") || isKeeplightError(error, "JOURNAL_ENTRY_UNKNOWN");
      if (!isTaken) completed.push({ name: file.name, error });
    }
  }
  return completed;
}

/** Completes one of them; returns nothing if bytes of it are missing. */
async function completeEntry(id: string, options: ResolvedUploader, control: Control): Promise<CompletedFile[]> {
  const entry = (await options.entries.acquire(id)) as Entry<UploaderState>;
  try {
    const steps = createUploadSteps(entry, options.upload);
    const retry = createRetry(control, options.retryDelays);
    const storing = { entry, steps, endpoint: createEndpoint(options), control, retry, options };
    const { name, attempts } = getFileState(entry);
    const { size = 0 } = attempts[0] ?? {};
    const { url = "" } = entry.state;
    const cid = getKnownCid(storing) ?? (await findStored(storing, url, size));
    if (cid === undefined) return [];
    await saveKey(storing, cid);
    const file = { cid, name, size: plaintextSize(size) };
    await setDone(storing, { ...file, url });
    return [file];
  } finally {
    await entry.release();
  }
}

async function findStored(storing: Storing, url: string, size: number): Promise<string | undefined> {
  const { retry, endpoint } = storing;
  const arrived = await retry.run((signal) => endpoint.getOffset(url, size, signal));
  if (arrived !== undefined && arrived < size) return undefined;
  return (arrived === size ? await waitUntilStored(storing, url) : undefined) ?? findForgotten(storing, url);
}
