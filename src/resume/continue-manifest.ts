import { loadFolders } from "../folders/load-folders.ts";
import type { Entry } from "../journal/entries.ts";
import type { UploadEncryptedOptions } from "../transfer/upload/encrypted-upload-options.ts";
import type { JournaledUpload } from "../transfer/upload/journaled-upload.ts";
import { finishUpload } from "../transfer/upload/resume-upload.ts";
import type { Saving } from "../transfer/upload/save-uploaded.ts";
import type { SentUpload } from "../transfer/upload/send-encrypted.ts";
import type { UploadRecord } from "../transfer/upload/upload-record.ts";
import type { UploadedFile, UploadedFiles } from "../transfer/upload/upload-response.ts";
import { uploadSteps } from "../transfer/upload/upload-steps.ts";
import { locateFile, restoreAttempt } from "./locate-file.ts";
import type { ResumingOptions } from "./resume-options.ts";

/** A folder of which all files are stored, and their keys saved. */
interface StoredFolder {
  entry: Entry<JournaledUpload>;
  record: UploadRecord;
  sent: Pick<SentUpload, "keys" | "expected">;
  stored: readonly UploadedFile[];
  cids: ResumingOptions["cids"];
}

/** Finishes the manifest of an interrupted folder: saves its key if it is stored, and uploads it otherwise. */
export async function continueManifest(
  { entry, record, sent, stored, cids = {} }: StoredFolder,
  options: UploadEncryptedOptions,
  saving: Saving,
): Promise<UploadedFiles> {
  const { createManifest, recordSome, uploadManifest } = await loadFolders();
  const { folder, files, owner, oneKey } = entry.state;
  const index = files.length - 1;
  const file = files[index];
  if (folder === undefined || !file) throw new Error("The upload is not one of a folder");
  const { name } = file;
  // Where the caller says that a file is stored elsewhere, a manifest that was sent before is out of date.
  const isUpToDate = Object.keys(cids).every((other) => other === name);
  const found = isUpToDate ? await locateFile(file, cids, options) : undefined;
  if (found) {
    const located = {
      names: [name],
      keys: [file],
      expected: () => restoreAttempt(file, found.Hash),
      record: recordSome(record, [index]),
    };
    return finishUpload({ sent: located, stored: [found], reported: [found] }, options, saving);
  }
  const paths = files.flatMap(({ path }) => path ?? []);
  const expected = paths.map((_, at) => sent.expected(at));
  const described = { name: folder, owner, createdAt: entry.startedAt, oneKey };
  const manifest = await createManifest(described, { paths, keys: sent.keys, sent: expected, stored }, uploadSteps);
  return uploadManifest({ manifest, name, key: file, record, index }, options, uploadSteps);
}
