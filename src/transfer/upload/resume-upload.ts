import { plaintextSize } from "../../crypto/file-format.ts";
import { isKeeplightError, type KeeplightError } from "../../errors/base.ts";
import type { ErrorCode } from "../../errors/codes.ts";
import { invalidOption } from "../../errors/input.ts";
import { shardsNotSaved } from "../../errors/nodes.ts";
import { UnfinishedError } from "../../errors/unfinished.ts";
import { copyOptions } from "../../validation/check-options.ts";
import { checkCid } from "../../validation/cid.ts";
import type { SentFile } from "./check-unknown-cids.ts";
import { confirmStored } from "./confirm-stored.ts";
import { findChunkProfile } from "./encrypted-cids.ts";
import {
  mergeUploadOptions,
  type ResumeUploadOptions,
  type UnfinishedUpload,
  type UploadEncryptedOptions,
} from "./encrypted-upload-options.ts";
import { prepareSaving, type Saving, type StoredUpload, saveUploadKeys } from "./save-uploaded.ts";
import { checkCidVersion } from "./send.ts";
import type { SentUpload } from "./send-encrypted.ts";
import type { UploadedFile, UploadedFiles } from "./upload-response.ts";

type Cids = ResumeUploadOptions["cids"];

/** Files that were sent, and where they are stored. */
export interface LocatedUpload {
  sent: SentUpload;
  stored: readonly UploadedFile[];
  /** The rows that the upload node reported, if it did. */
  reported: readonly UploadedFile[] | undefined;
  /** Content ids that the caller vouches for, by name. */
  cids?: Cids;
}

/**
 * Confirms the content ids of an upload, then saves its keys. Either failure can be resumed.
 *
 * @throws `CID_MISMATCH`, `SHARDS_NOT_SAVED`, `ABORTED`
 */
export async function finishUpload(
  upload: LocatedUpload,
  options: UploadEncryptedOptions,
  saving: Saving,
): Promise<UploadedFiles> {
  const { sent, stored, reported, cids } = upload;
  try {
    // CIDs that the caller vouches for are kept only once they are confirmed.
    if (!cids) await sent.record.locate(stored);
    const cidVersion = checkCidVersion(options.cidVersion);
    await confirmStored(toSentFiles(upload), { ...saving, options, cidVersion, strict: options.verifyCid ?? false });
    if (cids) await sent.record.locate(stored);
  } catch (error) {
    throw makeResumable(error, sent, reported, options);
  }
  return saveUploadKeys(toStoredUpload(sent, stored), options, saving);
}

/** Codes of errors after which the upload node has responded, but not reliably. */
const UNTRUSTED_RESPONSE = new Set<ErrorCode>(["INVALID_JSON", "INVALID_RESPONSE"]);

/** Returns whether the files may be stored although the request failed. */
export function mayBeStored(error: unknown): error is KeeplightError {
  return isKeeplightError(error) && (error.details["bodySent"] === true || UNTRUSTED_RESPONSE.has(error.code));
}

/**
 * Attaches the keys to an error of an upload whose files may be stored under content ids that are unknown or uncertain:
 * once the ids are known, the keys can still be saved. Any error will do: it may be a signer's, or that of a module that
 * failed to load.
 *
 * @param reported - the content ids that the upload node reported
 */
export function makeResumable(
  error: unknown,
  sent: SentUpload,
  reported: readonly UploadedFile[] | undefined,
  options: UploadEncryptedOptions,
): UnfinishedUpload {
  const { code, message, details, cause } = isKeeplightError(error) ? error : shardsNotSaved(error);
  const stored = reported ? { stored: reported } : {};
  return new UnfinishedError<UploadedFiles, ResumeUploadOptions>(code, message, {
    details: { ...details, bodySent: true, names: sent.names, ...stored },
    cause,
    resume: async (given) => {
      const changed = copyOptions(given);
      const resumed = mergeUploadOptions(options, changed);
      const { cids } = changed;
      const located = sent.names.map((name, at) => locateFile(name, cids, reported?.[at]));
      const saving = await prepareSaving(resumed);
      return sent.record.resume(() => finishUpload({ sent, stored: located, reported, cids }, resumed, saving));
    },
  });
}

function toSentFiles({ sent, stored, cids }: LocatedUpload): SentFile[] {
  return stored.map(({ Hash: cid }, at) => {
    const name = sent.names[at] ?? "";
    const vouched = getCid(cids, name) !== undefined;
    return { name, cid, expected: sent.expected(at), keyShards: sent.keys[at]?.keyShards ?? [], vouched };
  });
}

function toStoredUpload({ names, keys, expected, record }: SentUpload, stored: readonly UploadedFile[]): StoredUpload {
  return {
    stored,
    files: stored.map(({ Hash }, at) => ({
      cid: Hash,
      keyShards: keys[at]?.keyShards ?? [],
      nodesDone: record.saved(at),
    })),
    record,
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

function getCid(cids: Cids = {}, name: string): string | undefined {
  return Object.hasOwn(cids, name) ? cids[name] : undefined;
}

/** Returns the content id of a file: the caller's, otherwise the upload node's. */
function locateFile(Name: string, cids: Cids, reported: UploadedFile | undefined): UploadedFile {
  const Hash = getCid(cids, Name);
  if (Hash !== undefined) return { Name, Hash: checkCid(Hash) };
  if (reported) return reported;
  throw invalidOption("cids", `a content id for ${Name}`);
}
