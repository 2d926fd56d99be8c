import { notAJwt } from "../../errors/input.ts";
import { createFolderId, toManifestName, toStoredNames } from "../../folder-file/stored-names.ts";
import type { SourceFile } from "../../platform/types.ts";
import { checkBoolean } from "../../validation/boolean.ts";
import { deriveOnce } from "./derive-once.ts";
import { type EncryptedFolder, finishFolder, limitProgress } from "./finish-folder.ts";
import type { UploadFolderOptions } from "./folder-options.ts";
import { listSourceFolder } from "./folder-source.ts";
import type { Source } from "./source.ts";
import { toSourceFile } from "./upload-manifest.ts";
import type { FileKey, RecordedCids, UploadRecord } from "./upload-record.ts";
import type { UploadSteps } from "./upload-steps.ts";

/** Uploads an encrypted folder; see the public function `uploadEncryptedFolder`. The options are checked. */
export async function uploadFolder(
  source: Source,
  { oneKeyForFolder, ...options }: UploadFolderOptions,
  steps: UploadSteps,
): Promise<EncryptedFolder> {
  checkBoolean("oneKeyForFolder", oneKeyForFolder);
  const oneKey = oneKeyForFolder || undefined;
  const ready = await steps.prepareEncrypted(limitProgress(options));
  const { signal } = options;
  const { name, paths, files: found } = await listSourceFolder(source, { name: options.name, signal }, steps);
  // A signature is valid for one file only.
  if (options.authToken?.startsWith("0x")) throw notAJwt();
  const id = createFolderId();
  const names = toStoredNames(paths, id, steps.toNodeName);
  const files = found.map(({ folder: _, ...file }, at): SourceFile => ({ ...file, name: names[at] ?? "" }));
  const [manifestKey, firstKey, ...otherKeys] = (await steps.generateKeys(oneKey ? 2 : 1 + files.length, options)) as [
    FileKey,
    FileKey,
    ...FileKey[],
  ];
  const keys = oneKey ? files.map(() => firstKey) : [firstKey, ...otherKeys];
  const prepared = oneKey && deriveOnce(firstKey.masterKey, steps);
  const encrypted = steps.encryptFiles(files, keys, prepared);
  // Nothing is sent for an owner who cannot sign in.
  const { auth } = ready.saving;
  await auth.token();
  const owner = auth.address;
  const manifestFile = { ...toSourceFile(toManifestName(name, id), new Uint8Array(0)), size: undefined };

  async function send(record: UploadRecord): Promise<EncryptedFolder> {
    const sent: (RecordedCids | undefined)[] = [];
    const ofFilesRecord: UploadRecord = {
      ...record,
      async expect(expected) {
        for (const [at, file] of expected.entries()) sent[at] = file;
        await record.expect(expected);
      },
      resume: (work) => work(),
    };
    const request = { files, encrypted, keys, wrapWithDirectory: false, record: ofFilesRecord };
    const job = {
      name,
      paths,
      owner,
      oneKey,
      keys,
      sent,
      record,
      manifestName: manifestFile.name,
      manifestKey,
      steps,
    };
    return finishFolder(job, options, () => steps.sendAndFinish(request, ready));
  }

  const all = { files: [...files, manifestFile], keys: [...keys, manifestKey] };
  return steps.recordUpload({ owner, ...all, options, folder: { name, paths, oneKey } }, send);
}
