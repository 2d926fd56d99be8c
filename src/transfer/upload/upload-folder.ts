import { notAJwt } from "../../errors/input.ts";
import { createFolderId, toManifestName, toStoredNames } from "../../folder-file/stored-names.ts";
import type { SourceFile } from "../../platform/types.ts";
import type { UploadEncryptedOptions } from "./encrypted-upload-options.ts";
import { type EncryptedFolder, finishFolder, limitProgress } from "./finish-folder.ts";
import { listSourceFolder } from "./folder-source.ts";
import type { Source } from "./source.ts";
import { toSourceFile } from "./upload-manifest.ts";
import type { UploadRecord } from "./upload-record.ts";
import type { UploadSteps } from "./upload-steps.ts";

/** Uploads an encrypted folder; see the public function `uploadEncryptedFolder`. The options are checked. */
export async function uploadFolder(
  source: Source,
  options: UploadEncryptedOptions,
  steps: UploadSteps,
): Promise<EncryptedFolder> {
  const ofFiles = limitProgress(options);
  const { call, route, cidVersion } = await steps.prepareUpload(options);
  const saving = await steps.prepareSaving(ofFiles);
  const { signal } = options;
  const { name, paths, files: found } = await listSourceFolder(source, { name: options.name, signal }, steps);
  // A signature is valid for one file only.
  if (options.authToken?.startsWith("0x")) throw notAJwt();
  const id = createFolderId();
  const names = toStoredNames(paths, id, steps.toNodeName);
  const files = found.map(({ folder: _, ...file }, at): SourceFile => ({ ...file, name: names[at] ?? "" }));
  steps.refuseTooLarge(files);
  const keys = await steps.generateKeys(files.length, options);
  const manifestKey = await steps.generateKey(options);
  const encrypted = steps.encryptFiles(files, keys);
  // Nothing is sent for an owner who cannot sign in.
  await saving.auth.token();
  const owner = saving.auth.address;
  const manifestFile = { ...toSourceFile(toManifestName(name, id), new Uint8Array(0)), size: undefined };

  async function send(record: UploadRecord): Promise<EncryptedFolder> {
    const request = { files, encrypted, keys, route, cidVersion, wrapWithDirectory: false };
    const ofFilesRecord: UploadRecord = { ...record, resume: (work) => work() };
    const { progress } = saving;
    const { sent, ...outcome } = await steps.sendEncrypted({ ...request, progress, record: ofFilesRecord }, call);
    const job = { name, paths, owner, sent, record, manifestName: manifestFile.name, manifestKey, steps };
    return finishFolder(job, options, async () => {
      if (!("error" in outcome)) {
        return steps.finishUpload({ sent, stored: outcome.stored, reported: outcome.stored }, ofFiles, saving);
      }
      const { error } = outcome;
      throw steps.mayBeStored(error) ? steps.makeResumable(error, sent, undefined, ofFiles) : error;
    });
  }

  const { journal } = options;
  if (journal === undefined) return send(steps.unrecorded);
  const folder = { name, paths };
  const all = { files: [...files, manifestFile], keys: [...keys, manifestKey] };
  return steps.getUploadRecorder(journal)({ owner, ...all, options, folder }, send);
}
