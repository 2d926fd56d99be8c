import type { kavachGetAccessConditions } from "../kavach/access/get-access-conditions.ts";
import type { decrypt } from "../transfer/download/decrypt.ts";
import { checkOptions, fromNames } from "../validation/check-options.ts";
import { folderCalls } from "./folder-calls.ts";
import { loadFolders } from "./load-folders.ts";
import type { OpenedFolder } from "./read-folder.ts";
import { type ReadEncryptedFolderOptions, readEncryptedFolderNames } from "./read-folder-options.ts";

export const readEncryptedFolderOperation = { options: fromNames(readEncryptedFolderNames) };

/**
 * Reads the tree of an encrypted folder: decrypts its manifest and checks all that it says. Each file then opens by
 * `decrypt` or `openEncrypted`, with its content id, and its `commitment` if it must be the file that the owner listed.
 * Paths are names in the folder, never places on this machine.
 *
 * Unless it is called with a `key`, the key nodes have to know the account that wrote the manifest as its owner: another one
 * cannot pass its folder off as that account's. After a transfer of the manifest to another account it can therefore only be
 * read by `decrypt`.
 *
 * @throws `INVALID_FOLDER` for a file that is no manifest, or a malformed one; what {@link decrypt} and
 * {@link kavachGetAccessConditions} throw
 *
 * @example
 * const { name, files } = await readEncryptedFolder(cid, { signer });
 */
export async function readEncryptedFolder(cid: string, options: ReadEncryptedFolderOptions): Promise<OpenedFolder> {
  options = checkOptions(options, readEncryptedFolderNames);
  return (await loadFolders()).readFolder(cid, options, folderCalls);
}
