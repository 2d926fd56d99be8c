import { kavachShare, shareNames } from "../kavach/access/share.ts";
import type { OwnerChangeOptions } from "../kavach/nodes/owner-call.ts";
import { type Addresses, checkAddresses } from "../validation/address.ts";
import { checkOptions } from "../validation/check-options.ts";
import { checkCid } from "../validation/cid.ts";
import { changeCalls } from "./change-calls.ts";
import type { FolderChangeOptions } from "./change-folder.ts";
import { loadFolders } from "./load-folders.ts";
import type { OpenedFolder } from "./read-folder.ts";

/** Options of {@link shareEncryptedFolder}. */
export type ShareFolderOptions = FolderChangeOptions & {
  /** Address or addresses that may open the folder from now on: EVM, or 44-character base58. */
  shareTo: Addresses;
};

export const shareFolderNames = [shareNames, "onProgress"] as const;

/**
 * Allows other addresses to open an encrypted folder: all of its files, and then its manifest. Only its owner may do so.
 *
 * @throws `INVALID_CID`, `INVALID_ADDRESS`, `MISSING_OWNER`, `NOT_A_JWT`, `NOT_OWNER`; what {@link readEncryptedFolder}
 * throws; an {@link UnfinishedError} if some files fail, whose `details.unfinished` lists them, each with its `path`, `cid`,
 * `code` and `message`, and whose `resume()` shares those
 *
 * @example
 * await shareEncryptedFolder(cid, { signer, shareTo: friend });
 */
export async function shareEncryptedFolder(cid: string, options: ShareFolderOptions): Promise<OpenedFolder> {
  options = checkOptions(options, shareFolderNames);
  cid = checkCid(cid);
  const { shareTo: to, ...owner } = options;
  const shareTo = checkAddresses(to) as [string, ...string[]];
  const { changeFolder } = await loadFolders();
  const change = (file: string, own: OwnerChangeOptions) => kavachShare(file, { ...own, shareTo });
  return changeFolder(cid, owner as FolderChangeOptions, { ...changeCalls, change });
}
