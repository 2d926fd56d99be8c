import { KEY_NODE_COUNT } from "../../base/config/limits.ts";
import { isKeeplightError } from "../../base/errors/base.ts";
import { invalidOption } from "../../base/errors/input.ts";
import { shardsNotSaved } from "../../base/errors/nodes.ts";
import { earlyResponse } from "../../base/errors/transport.ts";
import { UnfinishedError } from "../../base/errors/unfinished.ts";
import { cidMismatch, recoveryNotWritten } from "../../base/errors/verification.ts";
import { checkCid } from "../../formats/cid/content-id.ts";
import { plaintextSize } from "../../formats/crypto/file-format.ts";
import type { RecoveryKey } from "../../formats/recovery-file/entry.ts";
import { listMissingNodes, saveKeys, type UnsavedFile } from "../../keys/file-keys/save-keys.ts";
import { loadOnDemand } from "../load-on-demand.ts";
import type { SentFile } from "./check-unknown-cids.ts";
import { findChunkProfile } from "./encrypted-cids.ts";
import { type EncryptedRequest, mayBeStored, type SentUpload, sendEncrypted } from "./send-encrypted.ts";
import type { Attempt } from "./upload-entry.ts";
import type { UploadedFile, UploadedFiles } from "./upload-response.ts";

// What an encrypted upload does once all is prepared: send, confirm where the files are stored, save their keys. Each
// failure after which files may be stored can be resumed at its step.

export async function sendAndFinish(
  request: Omit<EncryptedRequest, "cidVersion" | "progress">,
  attempt: Attempt,
): Promise<UploadedFiles> {
  const { cidVersion, progress, call } = attempt;
  const outcome = await sendEncrypted({ ...request, cidVersion, progress }, call);
  if ("stored" in outcome) return finishUpload({ ...outcome, reported: outcome.stored }, attempt);
  const { sent, error } = outcome;
  throw mayBeStored(error) ? makeResumable(error, sent, undefined, attempt) : error;
}

/** Files that were sent, and where they are stored. */
interface LocatedUpload {
  sent: SentUpload;
  stored: readonly UploadedFile[];
  /** The rows that the upload node reported, if it did. */
  reported: readonly UploadedFile[] | undefined;
}

/**
 * Confirms the content ids of an upload, then saves its keys. Either failure can be resumed.
 *
 * @throws `CID_MISMATCH`, `SHARDS_NOT_SAVED`, `ABORTED`
 */
export async function finishUpload(upload: LocatedUpload, attempt: Attempt): Promise<UploadedFiles> {
  const { sent, stored, reported } = upload;
  const { cids } = attempt;
  try {
    // Those that the caller vouches for are in the entry only once they are confirmed.
    if (!cids) await sent.entry.locate(stored);
    await confirmStored(toSentFiles(upload, cids), attempt);
    if (cids) await sent.entry.locate(stored);
  } catch (error) {
    throw makeResumable(error, sent, reported, attempt);
  }
  return saveUploadKeys(toStoredUpload(sent, stored), attempt);
}

/**
 * Checks that saving the keys of files under these content ids overwrites no other file's key: each must be the id of
 * the encrypted bytes. An upload node may split files in a way that this kit does not compute; then no key may exist
 * under its id, and reading it back must yield the encrypted bytes.
 *
 * @throws `CID_MISMATCH`, `ABORTED`
 */
export async function confirmStored(files: readonly SentFile[], attempt: Attempt): Promise<void> {
  for (const { name, cid, expected, vouched } of files) {
    if (!expected && !vouched) throw earlyResponse();
    if (expected?.has(cid) || vouched || !attempt.strict) continue;
    throw cidMismatch({ name, expected: expected?.first ?? "", got: cid });
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
 * @param reported - the content ids that the upload node reported
 */
function makeResumable(
  error: unknown,
  sent: SentUpload,
  reported: readonly UploadedFile[] | undefined,
  attempt: Attempt,
): Error {
  const { code, message, details, cause } = isKeeplightError(error) ? error : shardsNotSaved(error);
  return new UnfinishedError<UploadedFiles, object>(code, message, {
    details: { ...details, bodySent: true, names: sent.names, ...(reported ? { stored: reported } : {}) },
    cause,
    resume: async (changed) => {
      const again = await attempt.again(changed);
      const stored = sent.names.map((name, at) => locateFile(name, again.cids, reported?.[at]));
      return sent.entry.resume(() => finishUpload({ sent, stored, reported }, again));
    },
  });
}

/** @param cids - those that the caller vouches for */
export function toSentFiles({ sent, stored }: Omit<LocatedUpload, "reported">, cids: Attempt["cids"]): SentFile[] {
  return stored.map(({ Hash: cid }, at) => {
    const name = sent.names[at] ?? "";
    const vouched = getCid(cids, name) !== undefined;
    return { name, cid, expected: sent.expected(at), keyShards: sent.keys[at]?.keyShards ?? [], vouched };
  });
}

function toStoredUpload({ names, keys, expected, entry }: SentUpload, stored: readonly UploadedFile[]) {
  const files = stored.map(({ Hash: cid }, at): UnsavedFile => {
    return { cid, keyShards: keys[at]?.keyShards ?? [], nodesDone: entry.nodesDone(at) };
  });
  /** What is still to be added to a recovery kit, if the options name one. */
  const kitEntries = stored.map(({ Hash: cid }, at): RecoveryKey => {
    const { cids = [], size } = expected(at) ?? {};
    const chunkProfile = findChunkProfile(cids, cid);
    return {
      cid,
      name: names[at] ?? null,
      size: size === undefined ? null : plaintextSize(size),
      ...(chunkProfile ? { chunkProfile } : {}),
      masterKey: keys[at]?.masterKey ?? "",
    };
  });
  return { stored, files, entry, kitEntries };
}

function getCid(cids: Attempt["cids"] = {}, name: string): string | undefined {
  return Object.hasOwn(cids, name) ? cids[name] : undefined;
}

/** Returns the content id of a file: the caller's, otherwise the upload node's. */
function locateFile(Name: string, cids: Attempt["cids"], reported: UploadedFile | undefined): UploadedFile {
  const Hash = getCid(cids, Name);
  if (Hash !== undefined) return { Name, Hash: checkCid(Hash) };
  if (reported) return reported;
  throw invalidOption("cids", `a content id for ${Name}`);
}

/**
 * Adds the keys to the recovery kit, if there is one, and saves the remaining key shards of all files. A failure of the
 * former does not prevent the latter. After any failure, the error can resume the rest.
 */
async function saveUploadKeys(
  { stored, entry, ...upload }: ReturnType<typeof toStoredUpload>,
  attempt: Attempt,
): Promise<UploadedFiles> {
  const { progress } = attempt;
  const total = stored.length * KEY_NODE_COUNT;
  const onSaved = (shards: number, index: number, node: number) => {
    entry.addNode(index, node);
    progress.report("saving-keys", shards, total);
  };
  const unwritten = await addToKit(upload.kitEntries, attempt.kit);
  const unsaved = upload.files.map((file, at) => ({ ...file, shareTo: entry.shareTo(at) }));
  const { files, error } = await saveKeys(unsaved, { ...attempt, onSaved });
  const rest = { stored, entry, files, kitEntries: unwritten ? upload.kitEntries : [] };
  const resume = async (changed: object) => {
    const again = await attempt.again(changed);
    return entry.resume(() => saveUploadKeys(rest, again));
  };
  if (error === undefined && unwritten) {
    const { code, message, cause } = isKeeplightError(unwritten.error, "ABORTED")
      ? unwritten.error
      : recoveryNotWritten(unwritten.error);
    throw new UnfinishedError<UploadedFiles, object>(code, message, { details: { stored }, cause, resume });
  }
  if (error === undefined) {
    progress.done();
    // One for each file that was sent; there is at least one.
    return stored.map((file, at) => withMissing(file, files[at])) as UploadedFiles;
  }
  const { code, message } = isKeeplightError(error, "ABORTED") ? error : shardsNotSaved(error);
  const node = isKeeplightError(error) ? error.details["node"] : undefined;
  const unfinished = files.flatMap((file, at) =>
    listMissingNodes(file).length === 0 ? [] : [{ Name: stored[at]?.Name, Hash: file.cid, nodesDone: file.nodesDone }],
  );
  const details = { node, unfinished };
  throw new UnfinishedError<UploadedFiles, object>(code, message, { details, cause: error, resume });
}

/** Adds entries to the recovery kit, if there is one; resolves to a failure instead of throwing it. */
async function addToKit(entries: readonly RecoveryKey[], kit: Attempt["kit"]): Promise<{ error: unknown } | undefined> {
  if (entries.length === 0) return undefined;
  return kit?.write(entries).then(
    () => undefined,
    (error: unknown) => ({ error }),
  );
}

function withMissing({ nodesMissing: _, ...stored }: UploadedFile, saved: UnsavedFile | undefined): UploadedFile {
  const missing = saved ? listMissingNodes(saved) : [];
  return missing.length === 0 ? stored : { ...stored, nodesMissing: missing };
}
