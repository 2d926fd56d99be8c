import { type UploadEncryptedOptions, uploadEncryptedNames } from "./encrypted-upload-options.ts";

/** Options of `uploadEncryptedFolder`. */
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

export const uploadFolderNames = [uploadEncryptedNames, "oneKeyForFolder"] as const;
