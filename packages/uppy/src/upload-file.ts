import { isKeeplightError, KeeplightError } from "keeplight";
import { hashFile, isKnown, isStoredAs, resolveCall, signInToKeyNodes, wait } from "keeplight/parts";
import type { Control } from "./control.ts";
import { createEndpoint } from "./endpoint.ts";
import {
  forgetDone,
  getDone,
  getFileState,
  mayBeComplete,
  type OpenUpload,
  openUpload,
  resolveOwner,
  setDone,
  type Uploaded,
  type UploadFile,
} from "./entry.ts";
import type { ResolvedUploader } from "./options.ts";
import { createRetry } from "./retry.ts";
import { getKnownCid, saveKey } from "./storing.ts";
import { transferFile } from "./transfer.ts";

/** For how long a file that is complete is remembered, in milliseconds, while this page lives. */
const REMEMBER_MS = 10_000;

/** For how long after an upload the network may not know the file yet, in milliseconds. */
const LAG_MS = 10_000;
const LOOK_MS = 1_000;

/** How long the endpoint may take to remove what was sent, in milliseconds. */
const REMOVE_MS = 30_000;

/**
 * Uploads a file from start to end, or from where an earlier page stopped: sends it, waits until it is stored, and saves its key.
 * If the file is cancelled, removes what was sent. After any other error the journal has what is needed to continue.
 *
 * @param onProgress - receives how many bytes of how many were sent
 * @throws what {@link openUpload} and `transferFile` throw; `CID_MISMATCH` if the endpoint names other bytes, and then no key is
 * saved; what signing in to key nodes and saving keys throws
 */
export async function uploadFile(
  file: UploadFile,
  options: ResolvedUploader,
  control: Control,
  onProgress: (bytes: number, total: number) => void,
): Promise<Uploaded> {
  const upload = await openWhenReady(file, options, control);
  try {
    const uploaded =
      (await findDone(upload, options, control)) ?? (await complete(upload, options, control, onProgress));
    await upload.entry.release();
    // Until others that keep what is uploaded may know.
    setTimeout(() => void forgetDone(options, upload.entry.id).catch(() => undefined), REMEMBER_MS);
    return uploaded;
  } catch (error) {
    await (control.isCancelled() ? discard(upload, options) : leave(upload));
    throw error;
  }
}

/** Opens a file once it may run. What an earlier page has left of one that is cancelled until then goes with it. */
async function openWhenReady(file: UploadFile, options: ResolvedUploader, control: Control): Promise<OpenUpload> {
  try {
    await control.ready();
    return await openUpload(file, options, control.signal);
  } catch (error) {
    if (control.isCancelled()) await discardFile(file, options).catch(() => undefined);
    throw error;
  }
}

/** Returns what was uploaded a short time ago, unless it has been deleted since. */
async function findDone(
  upload: OpenUpload,
  options: ResolvedUploader,
  control: Control,
): Promise<Uploaded | undefined> {
  const { uploaded, at } = getDone(upload) ?? {};
  if (!uploaded || at === undefined) return undefined;
  const { signal } = control;
  const { run } = createRetry(control, options.retryDelays);
  const call = resolveCall({ signal, endpoints: options.endpoints });
  // Otherwise it would be sent, and paid for, once more.
  for (let looks = Math.min(LAG_MS, at + LAG_MS - Date.now()) / LOOK_MS; ; looks--) {
    if (await run(() => isKnown(uploaded.cid, call))) return uploaded;
    if (looks <= 0) return undefined;
    await wait(LOOK_MS, signal);
  }
}

async function complete(
  upload: OpenUpload,
  options: ResolvedUploader,
  control: Control,
  onProgress: (bytes: number, total: number) => void,
): Promise<Uploaded> {
  const { file, entry, size } = upload;
  const retry = createRetry(control, options.retryDelays);
  // Whoever cannot sign in sends nothing. Key nodes that do not respond now may do so later.
  if (options.encrypt) await signInToKeyNodes(resolveOwner(options, control.signal));
  const report = (bytes: number) => onProgress(bytes, size);
  const transfer = { ...upload, options, endpoint: createEndpoint(options), control, retry, onProgress: report };
  const cid = getKnownCid(upload) ?? (await transferFile(transfer));
  await (options.encrypt ? saveKey(transfer, cid) : verifyPlain(upload, cid, options, control));
  const uploaded = { cid, name: getFileState(entry).name, size: file.data.size, url: entry.state.url ?? "" };
  // What could not be written may be forgotten: it is complete.
  await setDone(upload, uploaded).catch(() => entry.complete());
  return uploaded;
}

/** Refuses a content id of other bytes, for a file that is not encrypted. */
async function verifyPlain(
  { entry, source, file: { name } }: OpenUpload,
  cid: string,
  { endpoints }: ResolvedUploader,
  { signal }: Control,
): Promise<void> {
  const { attempts } = getFileState(entry);
  if (isStoredAs({ attempts }, cid)) return;
  const hashed = await hashFile(source, { signal, onRead: () => undefined });
  if (await hashed.yields(cid, resolveCall({ signal, endpoints }))) return;
  const expected = hashed.cids[0] ?? "";
  const message = `The content id of ${name} does not match the bytes: expected ${expected}, got ${cid}`;
  throw new KeeplightError("CID_MISMATCH", message, { details: { name, expected, got: cid } });
}

/** Leaves an upload to be continued; there is nothing to continue of one that has no key yet. */
async function leave({ entry }: OpenUpload): Promise<void> {
  const { files, done } = entry.state;
  await (files.length === 0 && !done ? entry.complete() : entry.release());
}

/**
 * Removes what was sent of a file, at the endpoint and in the journal. What may be stored by now keeps its key in the journal: if
 * the file is added again, it is completed.
 */
async function discard({ entry }: OpenUpload, options: ResolvedUploader): Promise<void> {
  const { url } = entry.state;
  const removing = url !== undefined && createEndpoint(options).remove(url, AbortSignal.timeout(REMOVE_MS));
  const isRemoved = await Promise.resolve(removing).catch(() => false);
  await (isRemoved || !mayBeComplete(entry) ? entry.complete() : entry.release());
}

/** Does the same for a file that is not being uploaded, if the journal has anything of it. Never fails. */
export async function discardFile(file: UploadFile, options: ResolvedUploader): Promise<void> {
  try {
    const upload = await openUpload(file, options, AbortSignal.timeout(REMOVE_MS));
    await (upload.entry.state.done ? upload.entry.release() : discard(upload, options));
  } catch (error) {
    // Another page uploads it.
    if (!isKeeplightError(error)) throw error;
  }
}
