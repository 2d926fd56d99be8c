import { KEY_NODE_COUNT } from "../../base/config/limits.ts";
import { isKeeplightError } from "../../base/errors/base.ts";
import { invalidOption } from "../../base/errors/input.ts";
import { shardsNotSaved } from "../../base/errors/nodes.ts";
import { earlyResponse } from "../../base/errors/transport.ts";
import { isUnfinished, UnfinishedError } from "../../base/errors/unfinished.ts";
import { cidMismatch, recoveryNotWritten } from "../../base/errors/verification.ts";
import { checkCid } from "../../formats/cid/content-id.ts";
import type { RecoveryKey } from "../../formats/recovery-file/entry.ts";
import { listMissingNodes, saveKeys, type UnsavedFile } from "../../keys/file-keys/save-keys.ts";
import { loadOnDemand } from "../load-on-demand.ts";
import { encryptFiles } from "./encrypt-files.ts";
import { describeSent, type ExpectedCids, restoreAttempt } from "./encrypted-cids.ts";
import { type EncryptedRequest, mayBeStored, type SentFiles, sendEncrypted } from "./send-encrypted.ts";
import type { Attempt, UploadEntry } from "./upload-entry.ts";
import type { UploadedFile, UploadedFiles } from "./upload-response.ts";

// What an encrypted upload does once all is prepared: send, confirm where the files are stored, save their keys. Each
// failure after which files may be stored can be resumed at its step.

export async function sendAndFinish(request: EncryptedRequest, attempt: Attempt): Promise<UploadedFiles> {
  const { entry, order } = request;
  if (order) return payAndFinish(request, attempt, false);
  const sent = await sendEncrypted(request, attempt).catch((error: unknown) => {
    if (!mayBeStored(error)) throw error;
    throw makeResumable(error, entry, attempt, (again) => finishUpload(entry, undefined, again));
  });
  return locateAndFinish(entry, sent, attempt);
}

/**
 * The same for a file that is paid for. Once something is signed, any failure can be resumed: what is paid and stored is
 * found, by the content ids of all attempts, and anything else sent again for the same payment.
 */
async function payAndFinish(request: EncryptedRequest, attempt: Attempt, isResumed: boolean): Promise<UploadedFiles> {
  const { entry } = request;
  let reported: readonly UploadedFile[] | undefined;
  try {
    const sent = await sendEncrypted(request, attempt);
    reported = await sent.locate(attempt.call.signal);
    return await finishUpload(entry, reported, attempt);
  } catch (error) {
    const isOver = isUnfinished(error) && !isKeeplightError(error, "CID_MISMATCH");
    if (isOver || !(isResumed || reported || mayBeStored(error))) throw error;
    throw makeResumable(
      error,
      entry,
      attempt,
      async (again) => (again.cids ? finishUpload(entry, undefined, again) : sendAgain(request, again)),
      reported,
    );
  }
}

/** With a new salt and iv: the source may have changed unnoticed. */
async function sendAgain(request: EncryptedRequest, attempt: Attempt): Promise<UploadedFiles> {
  const encrypted = encryptFiles(request.files, request.entry.files());
  return payAndFinish({ ...request, encrypted, route: await attempt.route() }, attempt, true);
}

async function locateAndFinish(entry: UploadEntry, sent: SentFiles, attempt: Attempt): Promise<UploadedFiles> {
  const stored = await sent.locate(attempt.call.signal).catch((error: unknown) => {
    // What the response does not say, the caller has to.
    const isUnclear = isKeeplightError(error, "INVALID_RESPONSE");
    throw makeResumable(error, entry, attempt, (again) =>
      isUnclear || again.cids ? finishUpload(entry, undefined, again) : locateAndFinish(entry, sent, again),
    );
  });
  return finishUpload(entry, stored, attempt, sent.expected);
}

/** Returns the content ids that the file at an index may be stored under, if all of it was sent. */
type ExpectCids = (index: number, cid: string) => ExpectedCids | undefined;

/** Expects the content ids of any attempt to send the files. */
function expectAnyOf(entry: UploadEntry): ExpectCids {
  return (index, cid) => {
    const file = entry.files()[index];
    return file && restoreAttempt(file, cid);
  };
}

/**
 * Confirms the content ids of an upload, then saves its keys. Either failure can be resumed.
 *
 * @param reported - where the upload node says that the files are stored, if it did
 * @param expected - of the attempt that it responded to: it may repeat an earlier response. Default those of any
 * @throws `CID_MISMATCH`, `SHARDS_NOT_SAVED`, `ABORTED`; `INVALID_OPTION`, `INVALID_CID`
 */
export async function finishUpload(
  entry: UploadEntry,
  reported: readonly UploadedFile[] | undefined,
  attempt: Attempt,
  expected: ExpectCids = expectAnyOf(entry),
): Promise<UploadedFiles> {
  const { cids, storage } = attempt;
  const storedAs = storage === undefined ? {} : { storage };
  const stored = entry.files().map(({ name }, at) => ({ ...chooseLocation(name, cids, reported?.[at]), ...storedAs }));
  try {
    // Those that the caller vouches for are in the entry only once they are confirmed.
    if (!cids) await entry.locate(stored);
    await confirmStored(entry, stored, attempt, expected);
    if (cids) await entry.locate(stored);
  } catch (error) {
    throw makeResumable(error, entry, attempt, (again) => finishUpload(entry, reported, again, expected), reported);
  }
  return saveUploadKeys(entry, stored, attempt);
}

/** Returns where a file is stored: as the caller says, otherwise as the upload node does. */
function chooseLocation(Name: string, cids: Attempt["cids"], reported: UploadedFile | undefined): UploadedFile {
  const Hash = getVouchedCid(cids, Name);
  if (Hash !== undefined) return { Name, Hash };
  if (reported) return reported;
  throw invalidOption("cids", `a content id for ${Name}`);
}

/** Returns the content id that the caller vouches for, if there is one for the file. Throws `INVALID_CID`. */
export function getVouchedCid(cids: Attempt["cids"] = {}, name: string): string | undefined {
  const cid = Object.hasOwn(cids, name) ? cids[name] : undefined;
  return cid === undefined ? undefined : checkCid(cid);
}

/**
 * Checks that saving the keys of files under these content ids overwrites no other file's key: each must be the id of
 * the encrypted bytes. An upload node may split files in a way that this kit does not compute; then no key may exist
 * under its id, and reading it back must yield the encrypted bytes.
 *
 * @throws `CID_MISMATCH`, `ABORTED`
 */
export async function confirmStored(
  entry: UploadEntry,
  stored: readonly UploadedFile[],
  attempt: Attempt,
  expected: ExpectCids,
): Promise<void> {
  const files = entry.files().map(({ name, keyShards }, at) => {
    const cid = stored[at]?.Hash ?? "";
    const vouched = getVouchedCid(attempt.cids, name) !== undefined;
    return { name, cid, expected: expected(at, cid), keyShards, vouched };
  });
  for (const { name, cid, expected, vouched } of files) {
    if (!expected && !vouched) throw earlyResponse();
    if (expected?.has(cid) || vouched || !attempt.strict) continue;
    throw cidMismatch({ name, expected: expected?.cids[0] ?? "", got: cid });
  }
  const unknown = files.filter(({ cid, expected }) => !expected?.has(cid));
  if (unknown.length === 0) return;
  const { checkUnknownCids } = await loadOnDemand();
  await checkUnknownCids(unknown, attempt);
}

/**
 * Attaches the keys to an error of an upload whose files may be stored under content ids that are unknown or uncertain:
 * once the ids are known, the keys can still be saved. Any error will do: it may be a signer's, or that of a module that
 * failed to load.
 *
 * @param proceed - continues with the attempt that it is resumed with
 * @param reported - the content ids that the upload node reported
 */
function makeResumable(
  error: unknown,
  entry: UploadEntry,
  attempt: Attempt,
  proceed: (again: Attempt) => Promise<UploadedFiles>,
  reported?: readonly UploadedFile[],
): Error {
  const { code, message, details, cause } = isKeeplightError(error) ? error : shardsNotSaved(error);
  const names = entry.files().map(({ name }) => name);
  return new UnfinishedError<UploadedFiles, object>(code, message, {
    details: { ...details, bodySent: true, names, ...(reported ? { stored: reported } : {}) },
    cause,
    resume: async (changed) => {
      const again = await attempt.again(changed);
      return entry.resume(() => proceed(again));
    },
  });
}

/**
 * Adds the keys to the recovery kit, if there is one, and saves the remaining key shards of all files. A failure of the
 * former does not prevent the latter. After any failure, the error can resume the rest.
 */
async function saveUploadKeys(
  entry: UploadEntry,
  stored: readonly UploadedFile[],
  attempt: Attempt,
  isInKit = false,
): Promise<UploadedFiles> {
  const { progress, kit } = attempt;
  const total = stored.length * KEY_NODE_COUNT;
  const onSaved = (shards: number, index: number, node: number) => {
    entry.addNode(index, node);
    progress.report("saving-keys", shards, total);
  };
  const unwritten = kit && !isInKit ? await addToKit(entry, stored, kit) : undefined;
  const unsaved = entry.files().map(({ keyShards, nodesDone, shareTo }, at) => {
    return { cid: stored[at]?.Hash ?? "", keyShards, nodesDone, shareTo };
  });
  const { files, error } = await saveKeys(unsaved, { ...attempt, onSaved });
  const resume = async (changed: object) => {
    const again = await attempt.again(changed);
    return entry.resume(async () => {
      // Another resumption may have located the files elsewhere, with other nodes done.
      await entry.locate(stored);
      return saveUploadKeys(entry, stored, again, !unwritten);
    });
  };
  if (error === undefined && !unwritten) {
    progress.done();
    // One for each file that was sent; there is at least one.
    return stored.map((file, at) => withMissing(file, files[at])) as UploadedFiles;
  }
  if (error === undefined) {
    const thrown = unwritten?.error;
    const { code, message, cause } = isKeeplightError(thrown, "ABORTED") ? thrown : recoveryNotWritten(thrown);
    throw new UnfinishedError<UploadedFiles, object>(code, message, { details: { stored }, cause, resume });
  }
  const { code, message } = isKeeplightError(error, "ABORTED") ? error : shardsNotSaved(error);
  const node = isKeeplightError(error) ? error.details["node"] : undefined;
  const unfinished = files.flatMap((file, at) =>
    listMissingNodes(file).length === 0 ? [] : [{ Name: stored[at]?.Name, Hash: file.cid, nodesDone: file.nodesDone }],
  );
  const details = { node, unfinished };
  throw new UnfinishedError<UploadedFiles, object>(code, message, { details, cause: error, resume });
}

/** Adds the keys of stored files to the recovery kit; resolves to a failure instead of throwing it. */
async function addToKit(
  entry: UploadEntry,
  stored: readonly UploadedFile[],
  kit: NonNullable<Attempt["kit"]>,
): Promise<{ error: unknown } | undefined> {
  const keys = entry.files().map((file, at): RecoveryKey => {
    const { name, masterKey } = file;
    const cid = stored[at]?.Hash ?? "";
    return { cid, name, size: null, ...describeSent(file, cid), masterKey };
  });
  try {
    await kit.write(keys);
    return undefined;
  } catch (error) {
    return { error };
  }
}

function withMissing({ nodesMissing: _, ...stored }: UploadedFile, saved: UnsavedFile | undefined): UploadedFile {
  const missing = saved ? listMissingNodes(saved) : [];
  return missing.length === 0 ? stored : { ...stored, nodesMissing: missing };
}
