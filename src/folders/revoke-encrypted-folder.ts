import { kavachRevoke, revokeNames } from "../kavach/access/revoke.ts";
import type { OwnerChangeOptions } from "../kavach/nodes/owner-call.ts";
import { type Addresses, checkAddresses } from "../validation/address.ts";
import { checkOptions } from "../validation/check-options.ts";
import { checkCid } from "../validation/cid.ts";
import { changeCalls } from "./change-calls.ts";
import type { FolderChangeOptions } from "./change-folder.ts";
import { loadFolders } from "./load-folders.ts";
import type { OpenedFolder } from "./read-folder.ts";

/** Options of {@link revokeEncryptedFolder}. */
export type RevokeFolderOptions = FolderChangeOptions & {
  /** Address or addresses that may not open the folder any more. */
  revokeTo: Addresses;
};

export const revokeFolderNames = [revokeNames, "onProgress"] as const;

/**
 * Withdraws access to all files of an encrypted folder, and to its manifest. Who had access may have kept the keys.
 *
 * @throws as {@link shareEncryptedFolder}
 */
export async function revokeEncryptedFolder(cid: string, options: RevokeFolderOptions): Promise<OpenedFolder> {
  options = checkOptions(options, revokeFolderNames);
  cid = checkCid(cid);
  const { revokeTo: from, ...owner } = options;
  const revokeTo = checkAddresses(from) as [string, ...string[]];
  const { changeFolder } = await loadFolders();
  const change = (file: string, own: OwnerChangeOptions) => kavachRevoke(file, { ...own, revokeTo });
  return changeFolder(cid, owner as FolderChangeOptions, { ...changeCalls, change });
}
