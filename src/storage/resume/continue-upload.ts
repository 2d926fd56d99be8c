import { resolveOptions } from "../../base/operation.ts";
import type { Entry } from "../../journal/entries.ts";
import type { JournalLike } from "../../journal/handle.ts";
import { refuseOtherOwner } from "../../journal/refuse-other-owner.ts";
import { applyLaterCalls } from "../../keys/nodes/call-entry.ts";
import { deriveOnce, encryptFiles } from "../upload/encrypt-files.ts";
import { finishUpload } from "../upload/finish-upload.ts";
import { createUploadEntry, type FileState, type UploadState } from "../upload/journal-entry.ts";
import type { Attempt } from "../upload/save-upload-keys.ts";
import { resolveRoute } from "../upload/send.ts";
import { sendEncrypted } from "../upload/send-encrypted.ts";
import { withSourceCleanup } from "../upload/source.ts";
import { prepareAttempt, type ResolvedUpload, uploadEncryptedSchema } from "../upload/upload-encrypted.ts";
import type { UploadEntry } from "../upload/upload-entry.ts";
import type { UploadedFile, UploadedFiles } from "../upload/upload-response.ts";
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
  entry: Entry<UploadState>,
  options: ResumingOptions,
): Promise<UploadedFiles> {
  const { source, cids, ...changed } = options;
  const { owner, options: entryOptions } = entry.state;
  return withSourceCleanup(source ?? [], async (own) => {
    const resolved = resolveOptions(uploadEncryptedSchema, mergeStoredOptions(entryOptions, changed));
    const attempt = await prepareAttempt(resolved, cids);
    refuseOtherOwner(owner, attempt.auth.address);
    await applyLaterCalls(journal, entry);
    const uploadEntry = createUploadEntry(entry, journal);
    const located: (UploadedFile | undefined)[] = [];
    for (const file of listSources(entry)) located.push(await locateFile(file, cids, resolved));
    const missing = located.flatMap((found, index) => (found ? [] : [index]));
    if (missing.length > 0) {
      const again = await sendAgain(missing, {
        uploadEntry,
        state: entry.state,
        source: source && own,
        attempt,
        options: resolved,
      });
      for (const [at, index] of missing.entries()) located[index] = again[at];
    }
    const files = listSources(entry);
    const sent = {
      names: files.map(({ name }) => name),
      keys: files,
      expected: (index: number) => restoreAttempt(files[index], located[index]?.Hash),
      entry: uploadEntry,
    };
    const found = located.flatMap((file) => file ?? []);
    const stored = await finishUpload({ sent, stored: found, reported: found }, attempt);
    if (entry.state.folder === undefined) return stored;
    const { state, startedAt } = entry;
    const folder = { state, startedAt, entry: uploadEntry, sent, stored, cids };
    return [...(await continueManifest(folder, resolved, attempt)), ...stored];
  });
}

/** Returns the files of an upload that have sources: all but the manifest of a folder. */
function listSources({ state: { files, folder } }: Entry<UploadState>): readonly FileState[] {
  return folder === undefined ? files : files.slice(0, -1);
}

interface Again {
  uploadEntry: UploadEntry;
  state: UploadState;
  source: ResumingOptions["source"];
  attempt: Attempt;
  options: ResolvedUpload;
}

/** Encrypts and sends the files at these indexes again. */
async function sendAgain(indexes: readonly number[], again: Again): Promise<UploadedFile[]> {
  const { uploadEntry, state, source, attempt, options } = again;
  const { call, cidVersion, progress } = attempt;
  const route = await resolveRoute(options);
  const keys = indexes.flatMap((index) => state.files[index] ?? []);
  const files = await listSourcesAgain(keys, source, options.signal);
  const encrypted = encryptFiles(files, keys, prepareOneKey(state));
  // Nothing is sent for an owner who cannot sign in.
  await attempt.auth.token();
  const wrapWithDirectory = state.folder === undefined ? options.wrapWithDirectory : false;
  const request = { files, encrypted, keys, route, cidVersion, wrapWithDirectory, progress };
  const expectCids: UploadEntry["expectCids"] = (expected) => {
    const all = Array.from(state.files, (_, index) => expected[indexes.indexOf(index)]);
    return uploadEntry.expectCids(all);
  };
  const outcome = await sendEncrypted({ ...request, entry: { ...uploadEntry, expectCids } }, call);
  if ("error" in outcome) throw outcome.error;
  return outcome.stored;
}

/** If files have one master key, derives it once; the salt is a new one. */
function prepareOneKey({ oneKey, files: [file] }: UploadState) {
  return oneKey && file ? deriveOnce(file.masterKey) : undefined;
}
