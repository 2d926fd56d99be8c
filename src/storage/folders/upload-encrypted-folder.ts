import { boolean, type Operation, resolveOptions } from "../../base/operation.ts";
import { type Source, withSourceCleanup } from "../upload/source.ts";
import { type UploadEncryptedOptions, uploadEncryptedSchema } from "../upload/upload-encrypted.ts";
import type { EncryptedFolder } from "./finish-folder.ts";

/** Options of {@link uploadEncryptedFolder}. */
export type UploadFolderOptions = UploadEncryptedOptions & {
  /**
   * Encrypt all files with one master key and one salt, so that their key is derived once: small files take a fraction of the
   * time. Anyone who has the key of one file can open all files of the folder, so share such a folder only as a whole, and never
   * one of its files by `kavachShare`, `kavachTransferOwnership`, access conditions or a share link. Other clients open each
   * file as before.
   *
   * @default false
   */
  oneKeyForFolder?: boolean | undefined;
};

export const uploadEncryptedFolderOperation = {
  options: { ...uploadEncryptedSchema, oneKeyForFolder: boolean(false) },
} satisfies Operation<UploadFolderOptions>;

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
    const { oneKeyForFolder, ...upload } = resolveOptions(uploadEncryptedFolderOperation.options, options);
    const { uploadFolder } = await import("../lazy.ts");
    return uploadFolder(own, upload, oneKeyForFolder);
  });
}
