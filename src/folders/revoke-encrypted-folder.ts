import { kavachRevoke, revokeNames } from "../kavach/access/revoke.ts";
import type { Addresses } from "../validation/address.ts";
import { checkOptions, fromNames } from "../validation/check-options.ts";
import type { FolderChangeOptions } from "./change-folder.ts";
import { folderCalls } from "./folder-calls.ts";
import { loadFolders } from "./load-folders.ts";
import type { OpenedFolder } from "./read-folder.ts";

/** Options of {@link revokeEncryptedFolder}. */
export type RevokeFolderOptions = FolderChangeOptions & {
  /** Address or addresses that may not open the folder any more. */
  revokeTo: Addresses;
};

export const revokeFolderNames = [revokeNames, "onProgress"] as const;

export const revokeEncryptedFolderOperation = { options: fromNames(revokeFolderNames) };

/**
 * Withdraws access to all files of an encrypted folder, and to its manifest. Who had access may have kept the keys.
 *
 * @throws as {@link shareEncryptedFolder}
 */
export async function revokeEncryptedFolder(cid: string, options: RevokeFolderOptions): Promise<OpenedFolder> {
  options = checkOptions(options, revokeFolderNames);
  return (await loadFolders()).changeAccess(cid, options, "revokeTo", kavachRevoke, folderCalls);
}
