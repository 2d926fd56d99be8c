import { notAJwt } from "../../errors/input.ts";
import { createFolderId, toManifestName, toStoredNames } from "../../folder-file/stored-names.ts";
import type { SourceFile } from "../../platform/types.ts";
import { checkOptions } from "../../validation/check-options.ts";
import { encryptFiles, refuseTooLarge } from "./encrypt-files.ts";
import { type UploadEncryptedOptions, uploadEncryptedNames } from "./encrypted-upload-options.ts";
import { type EncryptedFolder, finishFolder, limitProgress } from "./finish-folder.ts";
import { listSourceFolder } from "./folder-source.ts";
import { finishUpload, makeResumable, mayBeStored } from "./resume-upload.ts";
import { prepareSaving } from "./save-uploaded.ts";
import { generateKey, generateKeys, sendEncrypted } from "./send-encrypted.ts";
import { type Source, withSourceCleanup } from "./source.ts";
import { prepareUpload } from "./upload.ts";
import { toSourceFile } from "./upload-manifest.ts";
import { getUploadRecorder, type UploadRecord, unrecorded } from "./upload-record.ts";
import { toNodeName } from "./wire-name.ts";

/**
 * Encrypts and uploads the files of a folder as {@link uploadEncrypted} does, and then a manifest with their paths: one
 * more encrypted file, which stands for the folder. Other clients open the files one by one, by their content ids. The
 * network sees which files belong together, and the name of each, with `-` for `/`.
 *
 * @param options - `name` is that of the folder; by default that of the folder that the files are in
 * @throws what {@link uploadEncrypted} throws; `INVALID_OPTION` for a folder without a name; `DUPLICATE_NAME` for two files
 * of one path; after any failure once the files are stored an {@link UnfinishedFolder}, whose `resume()` does the rest
 *
 * @example
 * const folder = await uploadEncryptedFolder("./photos", { apiKey, signer });
 */
export async function uploadEncryptedFolder(source: Source, options: UploadEncryptedOptions): Promise<EncryptedFolder> {
  return withSourceCleanup(source, () => encryptAndUpload(source, options));
}

async function encryptAndUpload(source: Source, options: UploadEncryptedOptions): Promise<EncryptedFolder> {
  options = checkOptions(options, uploadEncryptedNames);
  const ofFiles = limitProgress(options);
  const { call, route, cidVersion } = await prepareUpload(options);
  const saving = await prepareSaving(ofFiles);
  const { signal } = options;
  const { name, paths, files: found } = await listSourceFolder(source, { name: options.name, signal });
  // A signature is valid for one file only.
  if (options.authToken?.startsWith("0x")) throw notAJwt();
  const id = createFolderId();
  const names = toStoredNames(paths, id, toNodeName);
  const files = found.map(({ folder: _, ...file }, at): SourceFile => ({ ...file, name: names[at] ?? "" }));
  refuseTooLarge(files);
  const keys = await generateKeys(files.length, options);
  const manifestKey = await generateKey(options);
  const encrypted = encryptFiles(files, keys);
  // Nothing is sent for an owner who cannot sign in.
  await saving.auth.token();
  const owner = saving.auth.address;
  const manifestFile = { ...toSourceFile(toManifestName(name, id), new Uint8Array(0)), size: undefined };

  async function send(record: UploadRecord): Promise<EncryptedFolder> {
    const request = { files, encrypted, keys, route, cidVersion, wrapWithDirectory: false };
    const ofFilesRecord: UploadRecord = { ...record, resume: (work) => work() };
    const { progress } = saving;
    const { sent, ...outcome } = await sendEncrypted({ ...request, progress, record: ofFilesRecord }, call);
    const job = { name, paths, owner, sent, record, manifestName: manifestFile.name, manifestKey };
    return finishFolder(job, options, async () => {
      if (!("error" in outcome)) {
        return finishUpload({ sent, stored: outcome.stored, reported: outcome.stored }, ofFiles, saving);
      }
      const { error } = outcome;
      throw mayBeStored(error) ? makeResumable(error, sent, undefined, ofFiles) : error;
    });
  }

  const { journal } = options;
  if (journal === undefined) return send(unrecorded);
  const folder = { name, paths };
  const all = { files: [...files, manifestFile], keys: [...keys, manifestKey] };
  return getUploadRecorder(journal)({ owner, ...all, options, folder }, send);
}
