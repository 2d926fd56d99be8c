import { kavachShare, shareNames } from "../kavach/access/share.ts";
import type { Addresses } from "../validation/address.ts";
import { checkOptions, fromNames } from "../validation/check-options.ts";
import type { FolderChangeOptions } from "./change-folder.ts";
import { folderCalls } from "./folder-calls.ts";
import { loadFolders } from "./load-folders.ts";
import type { OpenedFolder } from "./read-folder.ts";

/** Options of {@link shareEncryptedFolder}. */
export type ShareFolderOptions = FolderChangeOptions & {
  /** Address or addresses that may open the folder from now on: EVM, or 44-character base58. */
  shareTo: Addresses;
};

export const shareFolderNames = [shareNames, "onProgress"] as const;

export const shareEncryptedFolderOperation = { options: fromNames(shareFolderNames) };

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
  options = checkOptions(options, shareFolderNames);
  return (await loadFolders()).changeAccess(cid, options, "shareTo", kavachShare, folderCalls);
}
