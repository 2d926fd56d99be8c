import { createManifest, uploadManifest } from "../folders/upload-manifest.ts";
import { finishUpload } from "../upload/finish-upload.ts";
import type { UploadState } from "../upload/journal-entry.ts";
import type { Attempt } from "../upload/save-upload-keys.ts";
import type { SentUpload } from "../upload/send-encrypted.ts";
import type { ResolvedUpload } from "../upload/upload-encrypted.ts";
import { selectFiles, type UploadEntry } from "../upload/upload-entry.ts";
import type { UploadedFile, UploadedFiles } from "../upload/upload-response.ts";
import { locateFile, restoreAttempt } from "./locate-file.ts";
import type { ResumingOptions } from "./resume-options.ts";

/** A folder of which all files are stored, and their keys saved. */
interface StoredFolder {
  state: UploadState;
  startedAt: number;
  entry: UploadEntry;
  sent: Pick<SentUpload, "keys" | "expected">;
  stored: readonly UploadedFile[];
  cids: ResumingOptions["cids"];
}

/** Finishes the manifest of an interrupted folder: saves its key if it is stored, and uploads it otherwise. */
export async function continueManifest(
  { state, startedAt, entry, sent, stored, cids = {} }: StoredFolder,
  options: ResolvedUpload,
  attempt: Attempt,
): Promise<UploadedFiles> {
  const { folder, files, owner, oneKey } = state;
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
      entry: selectFiles(entry, [index]),
    };
    return finishUpload({ sent: located, stored: [found], reported: [found] }, { ...attempt, cids: undefined });
  }
  const paths = files.flatMap(({ path }) => path ?? []);
  const expected = paths.map((_, at) => sent.expected(at));
  const described = { name: folder, owner, createdAt: startedAt, oneKey };
  const manifest = await createManifest(described, { paths, keys: sent.keys, sent: expected, stored });
  return uploadManifest({ manifest, name, key: file, entry, index }, options);
}
