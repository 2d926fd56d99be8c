import type { EncryptedFolder } from "../transfer/upload/finish-folder.ts";
import { type UploadFolderOptions, uploadFolderNames } from "../transfer/upload/folder-options.ts";
import { type Source, withSourceCleanup } from "../transfer/upload/source.ts";
import { uploadSteps } from "../transfer/upload/upload-steps.ts";
import { checkOptions, fromNames } from "../validation/check-options.ts";
import { loadFolders } from "./load-folders.ts";

export const uploadEncryptedFolderOperation = { options: fromNames(uploadFolderNames) };

/**
 * Encrypts and uploads the files of a folder as {@link uploadEncrypted} does, and then a manifest with their paths: one
 * more encrypted file, which stands for the folder. Other clients open the files one by one, by their content ids. The
 * network sees which files belong together, and the name of each, with `-` for `/`.
 *
 * @param options - `name` is that of the folder; by default that of the folder that the files are in. With
 * `oneKeyForFolder` all files have one key: faster for many small files, but only to be shared as a whole
 * @throws what {@link uploadEncrypted} throws; `INVALID_OPTION` for a folder without a name; `DUPLICATE_NAME` for two files
 * of one path; after any failure once the files are stored an {@link UnfinishedFolder}, whose `resume()` does the rest
 *
 * @example
 * const folder = await uploadEncryptedFolder("./photos", { apiKey, signer });
 */
export async function uploadEncryptedFolder(source: Source, options: UploadFolderOptions): Promise<EncryptedFolder> {
  return withSourceCleanup(source, async (own) => {
    options = checkOptions(options, uploadFolderNames);
    return (await loadFolders()).uploadFolder(own, options, uploadSteps);
  });
}
