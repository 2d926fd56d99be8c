import { invalidFolder } from "../errors/folder.ts";
import { type FolderManifest, MAX_MANIFEST_BYTES, parseManifest } from "../folder-file/manifest.ts";
import type { kavachGetAccessConditions } from "../kavach/access/get-access-conditions.ts";
import { keyNodeOptionNames } from "../kavach/nodes/node-client.ts";
import type { DecryptOptions, decrypt } from "../transfer/download/decrypt.ts";
import type { EncryptedFolder } from "../transfer/upload/finish-folder.ts";
import { checkAddress } from "../validation/address.ts";
import { pickOptions } from "../validation/check-options.ts";
import type { ReadEncryptedFolderOptions } from "./read-encrypted-folder.ts";

/** An encrypted folder, as its manifest describes it. */
export interface OpenedFolder extends EncryptedFolder, Pick<FolderManifest, "owner" | "createdAt"> {}

/** The calls that a folder is read by. Imported here, they would be split from what a page loads at once. */
interface ReadingCalls {
  decrypt: typeof decrypt;
  kavachGetAccessConditions: typeof kavachGetAccessConditions;
}

/** Reads the manifest of an encrypted folder; see the public function `readEncryptedFolder`. */
export async function readFolder(
  cid: string,
  options: ReadEncryptedFolderOptions,
  calls: ReadingCalls,
): Promise<OpenedFolder> {
  const onProgress = ({ loaded }: { loaded: number }) => {
    if (loaded > 2 * MAX_MANIFEST_BYTES) throw invalidFolder(cid, "it is too large");
  };
  const bytes = await calls.decrypt(cid, { ...(options as DecryptOptions), onProgress });
  const { name, owner, createdAt, files } = parseManifest(cid, bytes);
  if (options.key === undefined) {
    const access = await calls.kavachGetAccessConditions(cid, pickOptions(options, keyNodeOptionNames));
    if (checkAddress(access.owner) !== owner) throw invalidFolder(cid, "another account owns its key");
  }
  return { cid, name, size: files.reduce((sum, { size }) => sum + size, 0), files, owner, createdAt };
}
