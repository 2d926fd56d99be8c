import { loadFolders } from "../folders/load-folders.ts";
import type { Entry } from "../journal/entries.ts";
import type { JournalLike } from "../journal/handle.ts";
import { refuseOtherOwner } from "../journal/refuse-other-owner.ts";
import { applyLaterCalls } from "../kavach/nodes/call-entry.ts";
import { encryptFiles } from "../transfer/upload/encrypt-files.ts";
import type { UploadEncryptedOptions } from "../transfer/upload/encrypted-upload-options.ts";
import { createUploadRecord, type JournaledFile, type JournaledUpload } from "../transfer/upload/journaled-upload.ts";
import { finishUpload } from "../transfer/upload/resume-upload.ts";
import { prepareSaving, type Saving } from "../transfer/upload/save-uploaded.ts";
import { sendEncrypted } from "../transfer/upload/send-encrypted.ts";
import { withSourceCleanup } from "../transfer/upload/source.ts";
import { prepareUpload } from "../transfer/upload/upload.ts";
import type { UploadRecord } from "../transfer/upload/upload-record.ts";
import type { UploadedFile, UploadedFiles } from "../transfer/upload/upload-response.ts";
import { uploadSteps } from "../transfer/upload/upload-steps.ts";
import { continueManifest } from "./continue-manifest.ts";
import { locateFile, restoreAttempt } from "./locate-file.ts";
import { mergeStoredOptions, type ResumingOptions } from "./resume-options.ts";
import { listSourcesAgain } from "./source-again.ts";

/**
 * Finishes an encrypted upload: finds out which of its files are stored, sends the others again, and saves the keys of
 * all. A file that is sent again is encrypted with a new salt and iv: otherwise, had its source changed unnoticed, both
 * plaintexts would leak. Its master key and its shards stay valid.
 */
export async function continueUpload(
  journal: JournalLike,
  entry: Entry<JournaledUpload>,
  options: ResumingOptions,
): Promise<UploadedFiles> {
  const { source, cids, ...changed } = options;
  const { owner, options: stored } = entry.state;
  const merged = mergeStoredOptions(stored, changed) as UploadEncryptedOptions;
  return withSourceCleanup(source ?? [], async (own) => {
    const saving = await prepareSaving(merged);
    refuseOtherOwner(owner, saving.auth.address);
    await applyLaterCalls(journal, entry);
    const record = createUploadRecord(journal, entry);
    const located: (UploadedFile | undefined)[] = [];
    for (const file of listSources(entry)) located.push(await locateFile(file, cids, merged));
    const missing = located.flatMap((found, index) => (found ? [] : [index]));
    if (missing.length > 0) {
      const again = await sendAgain(missing, { record, entry, source: source && own, saving, options: merged });
      for (const [at, index] of missing.entries()) located[index] = again[at];
    }
    const files = listSources(entry);
    const sent = {
      names: files.map(({ name }) => name),
      keys: files,
      expected: (index: number) => restoreAttempt(files[index], located[index]?.Hash),
      record,
    };
    const found = located.flatMap((file) => file ?? []);
    const stored = await finishUpload(
      { sent, stored: found, reported: found, ...(cids ? { cids } : {}) },
      merged,
      saving,
    );
    if (entry.state.folder === undefined) return stored;
    return [...(await continueManifest({ entry, record, sent, stored, cids }, merged, saving)), ...stored];
  });
}

/** Returns the files of an upload that have sources: all but the manifest of a folder. */
function listSources({ state: { files, folder } }: Entry<JournaledUpload>): readonly JournaledFile[] {
  return folder === undefined ? files : files.slice(0, -1);
}

interface Again {
  record: UploadRecord;
  entry: Entry<JournaledUpload>;
  source: ResumingOptions["source"];
  saving: Saving;
  options: UploadEncryptedOptions;
}

/** Encrypts and sends the files at these indexes again. */
async function sendAgain(indexes: readonly number[], again: Again): Promise<UploadedFile[]> {
  const { record, entry, source, saving, options } = again;
  const { call, route, cidVersion } = await prepareUpload(options);
  const keys = indexes.flatMap((index) => entry.state.files[index] ?? []);
  const files = await listSourcesAgain(keys, source, options.signal);
  const encrypted = encryptFiles(files, keys, await prepareOneKey(entry.state));
  // Nothing is sent for an owner who cannot sign in.
  await saving.auth.token();
  const wrapWithDirectory = entry.state.folder === undefined ? options.wrapWithDirectory : false;
  const request = { files, encrypted, keys, route, cidVersion, wrapWithDirectory, progress: saving.progress };
  const expect: UploadRecord["expect"] = (expected) => {
    const all = Array.from(entry.state.files, (_, index) => expected[indexes.indexOf(index)]);
    return record.expect(all);
  };
  const outcome = await sendEncrypted({ ...request, record: { ...record, expect } }, call);
  if ("error" in outcome) throw outcome.error;
  return outcome.stored;
}

/** If files have one master key, derives it once; the salt is a new one. */
async function prepareOneKey({ oneKey, files: [file] }: JournaledUpload) {
  if (!oneKey || !file) return undefined;
  const { deriveOnce } = await loadFolders();
  return deriveOnce(file.masterKey, uploadSteps);
}
