import { kavachRevoke, revokeNames } from "../kavach/access/revoke.ts";
import { type Addresses, checkAddresses } from "../validation/address.ts";
import { checkOptions } from "../validation/check-options.ts";
import { checkCid } from "../validation/cid.ts";
import { changeEncryptedFolder, type FolderChangeOptions, resumeOr } from "./change-encrypted-folder.ts";
import type { OpenedFolder } from "./read-encrypted-folder.ts";

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
  return changeEncryptedFolder(cid, owner as FolderChangeOptions, (file, own, failed) =>
    resumeOr(failed, own, () => kavachRevoke(file, { ...own, revokeTo })),
  );
}
