import {
  boolean,
  callback,
  type Operation,
  type OptionSchema,
  resolveOptions,
  unchecked,
} from "../../base/operation.ts";
import { type CallOptions, mixedSchema } from "../../base/options.ts";
import { type Addresses, checkAddresses } from "../../base/validation/address.ts";
import { type OwnerChangeOptions, ownerCallSchema, ownerChangeSchema } from "../../keys/auth/owner.ts";
import type { KeyProofOptions } from "../../keys/file-keys/recover-file-key.ts";
import { shardRequestSchema } from "../../keys/file-keys/recover-shards.ts";
import type { FileKeyOptions } from "../download/decrypt.ts";
import type { DownloadOptions } from "../download/download.ts";
import type { OnProgress } from "../progress.ts";
import { type Source, withSourceCleanup } from "../upload/source.ts";
import { type UploadEncryptedOptions, uploadEncryptedSchema } from "../upload/upload-encrypted.ts";
import type { EncryptedFolder, OpenedFolder } from "./upload-folder.ts";

/** Options of {@link readEncryptedFolder}. */
export type ReadEncryptedFolderOptions = CallOptions &
  FileKeyOptions &
  KeyProofOptions &
  Pick<DownloadOptions, "verifyCid" | "chunkProfile">;

export const readEncryptedFolderOperation = {
  options: {
    ...ownerCallSchema,
    ...mixedSchema,
    ...shardRequestSchema,
    // The others are those of decrypt, which checks them.
    threshold: unchecked(),
    strict: unchecked(),
    commitment: unchecked(),
    key: unchecked<string | readonly string[]>(),
    verifyCid: unchecked(),
    chunkProfile: unchecked(),
  },
} satisfies Operation<ReadEncryptedFolderOptions>;

/**
 * Reads the tree of an encrypted folder: decrypts its manifest and checks all that it says. Each file then opens by
 * `decrypt` or `openEncrypted`, with its content id, and its `commitment` if it must be the file that the owner listed.
 * Paths are names in the folder, never places on this machine.
 *
 * Unless it is called with the manifest's `key`, the key nodes have to know the account that the manifest names as its owner.
 * That is no proof of who wrote it: somebody may name another account in a manifest, and transfer it to that account. After a
 * transfer of the manifest by its owner it can therefore only be read by `decrypt`.
 *
 * @throws `INVALID_FOLDER` for a file that is no manifest, or a malformed one; what {@link decrypt} and
 * {@link kavachGetAccessConditions} throw
 *
 * @example
 * const { name, files } = await readEncryptedFolder(cid, { signer });
 */
export async function readEncryptedFolder(cid: string, options: ReadEncryptedFolderOptions): Promise<OpenedFolder> {
  const resolved = resolveOptions(readEncryptedFolderOperation.options, options);
  const { readFolder } = await import("../lazy.ts");
  return readFolder(cid, resolved);
}

/** Options of changing who may open a folder. */
export type FolderChangeOptions = OwnerChangeOptions & {
  /** Receives how many of the files are done, in `loaded`. @default none */
  onProgress?: OnProgress | undefined;
};

const folderChangeSchema = {
  ...ownerChangeSchema,
  ...mixedSchema,
  onProgress: callback<OnProgress>(),
} satisfies OptionSchema<FolderChangeOptions>;

/** Options of {@link shareEncryptedFolder}. */
export type ShareFolderOptions = FolderChangeOptions & {
  /** Address or addresses that may open the folder from now on: EVM, or 44-character base58. */
  shareTo: Addresses;
};

export const shareEncryptedFolderOperation = {
  options: { ...folderChangeSchema, shareTo: checkAddresses },
} satisfies Operation<ShareFolderOptions>;

/**
 * Allows other addresses to open an encrypted folder: all of its files, and then its manifest. Only its owner may do so.
 *
 * Anyone can write a manifest that names files of yours, and transfer it to you. Therefore nothing is changed unless it
 * proves that who wrote it had the key of every file in it, for which each key is recovered first.
 *
 * @throws `INVALID_CID`, `INVALID_ADDRESS`, `MISSING_OWNER`, `NOT_A_JWT`, `NOT_OWNER`; what {@link readEncryptedFolder}
 * throws, above all `INVALID_FOLDER` for a manifest that another account may have forged; an {@link UnfinishedError} if some
 * files fail, whose `details.unfinished` lists them, each with its `path`, `cid`, `code` and `message`, and whose `resume()`
 * shares those
 *
 * @example
 * await shareEncryptedFolder(cid, { signer, shareTo: friend });
 */
export async function shareEncryptedFolder(cid: string, options: ShareFolderOptions): Promise<OpenedFolder> {
  const { shareTo, ...change } = resolveOptions(shareEncryptedFolderOperation.options, options);
  const { changeFolder } = await import("../lazy.ts");
  return changeFolder(cid, change, { shareTo });
}

/** Options of {@link revokeEncryptedFolder}. */
export type RevokeFolderOptions = FolderChangeOptions & {
  /** Address or addresses that may not open the folder any more. */
  revokeTo: Addresses;
};

export const revokeEncryptedFolderOperation = {
  options: { ...folderChangeSchema, revokeTo: checkAddresses },
} satisfies Operation<RevokeFolderOptions>;

/**
 * Withdraws access to all files of an encrypted folder, and to its manifest. Who had access may have kept the keys.
 *
 * @throws as {@link shareEncryptedFolder}
 */
export async function revokeEncryptedFolder(cid: string, options: RevokeFolderOptions): Promise<OpenedFolder> {
  const { revokeTo, ...change } = resolveOptions(revokeEncryptedFolderOperation.options, options);
  const { changeFolder } = await import("../lazy.ts");
  return changeFolder(cid, change, { revokeTo });
}

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
