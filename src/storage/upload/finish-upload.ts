import { isKeeplightError } from "../../base/errors/base.ts";
import { invalidOption } from "../../base/errors/input.ts";
import { shardsNotSaved } from "../../base/errors/nodes.ts";
import { earlyResponse } from "../../base/errors/transport.ts";
import { UnfinishedError } from "../../base/errors/unfinished.ts";
import { cidMismatch } from "../../base/errors/verification.ts";
import { checkCid } from "../../formats/cid/check-cid.ts";
import { plaintextSize } from "../../formats/crypto/file-format.ts";
import { loadOnDemand } from "../load-on-demand.ts";
import type { Confirming, SentFile } from "./check-unknown-cids.ts";
import { findChunkProfile } from "./encrypted-cids.ts";
import { type Attempt, type StoredUpload, saveUploadKeys } from "./save-upload-keys.ts";
import { type EncryptedRequest, mayBeStored, type SentUpload, sendEncrypted } from "./send-encrypted.ts";
import type { UploadedFile, UploadedFiles } from "./upload-response.ts";

// What an encrypted upload does once all is prepared: send, confirm where the files are stored, save their keys. Each
// failure after which files may be stored can be resumed at its step.

/** Sends encrypted files, confirms where they are stored and saves their keys. */
export async function sendAndFinish(
  request: Omit<EncryptedRequest, "cidVersion" | "progress">,
  attempt: Attempt,
): Promise<UploadedFiles> {
  const { cidVersion, progress, call } = attempt;
  const { sent, ...outcome } = await sendEncrypted({ ...request, cidVersion, progress }, call);
  if ("error" in outcome) {
    const { error } = outcome;
    throw mayBeStored(error) ? makeResumable(error, sent, undefined, attempt) : error;
  }
  const { stored } = outcome;
  return finishUpload({ sent, stored, reported: stored }, attempt);
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
export async function confirmStored(files: readonly SentFile[], confirming: Confirming): Promise<void> {
  for (const { name, cid, expected, vouched } of files) {
    if (!expected && !vouched) throw earlyResponse();
    if (expected?.has(cid) || vouched || !confirming.strict) continue;
    throw cidMismatch({ name, expected: expected?.first ?? "", got: cid });
  }
  const unknown = files.filter(({ cid, expected }) => !expected?.has(cid));
  if (unknown.length === 0) return;
  const { checkUnknownCids } = await loadOnDemand();
  await checkUnknownCids(unknown, confirming);
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
): UnfinishedError<UploadedFiles, object> {
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

function toSentFiles({ sent, stored }: LocatedUpload, cids: Attempt["cids"]): SentFile[] {
  return stored.map(({ Hash: cid }, at) => {
    const name = sent.names[at] ?? "";
    const vouched = getCid(cids, name) !== undefined;
    return { name, cid, expected: sent.expected(at), keyShards: sent.keys[at]?.keyShards ?? [], vouched };
  });
}

function toStoredUpload({ names, keys, expected, entry }: SentUpload, stored: readonly UploadedFile[]): StoredUpload {
  return {
    stored,
    files: stored.map(({ Hash }, at) => ({
      cid: Hash,
      keyShards: keys[at]?.keyShards ?? [],
      nodesDone: entry.nodesDone(at),
    })),
    entry,
    kitEntries: stored.map(({ Hash: cid }, at) => {
      const { cids = [], size } = expected(at) ?? {};
      const chunkProfile = findChunkProfile(cids, cid);
      return {
        cid,
        name: names[at] ?? null,
        size: size === undefined ? null : plaintextSize(size),
        ...(chunkProfile ? { chunkProfile } : {}),
        masterKey: keys[at]?.masterKey ?? "",
      };
    }),
  };
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
