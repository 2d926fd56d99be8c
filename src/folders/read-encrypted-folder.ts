import { invalidFolder } from "../errors/folder.ts";
import { type FolderManifest, MAX_MANIFEST_BYTES, parseManifest } from "../folder-file/manifest.ts";
import { kavachGetAccessConditions } from "../kavach/access/get-access-conditions.ts";
import {
  type KeyProofOptions,
  keyProofNames,
  type RecoverFileKeyOptions,
  recoverFileKeyNames,
} from "../kavach/keys/recover-file-key.ts";
import { keyNodeOptionNames } from "../kavach/nodes/node-client.ts";
import { type CallOptions, callOptionNames, type Optional } from "../options.ts";
import { type DecryptOptions, decrypt } from "../transfer/download/decrypt.ts";
import type { EncryptedFolder } from "../transfer/upload/finish-folder.ts";
import { checkAddress } from "../validation/address.ts";
import { checkOptions, pickOptions } from "../validation/check-options.ts";
import { checkCid } from "../validation/cid.ts";

/** Options of {@link readEncryptedFolder}. */
export type ReadEncryptedFolderOptions = CallOptions &
  (
    | (RecoverFileKeyOptions & { key?: undefined })
    | (Optional<RecoverFileKeyOptions> & {
        /** The manifest's master key, 64 hex characters. With it no key node is queried and no owner is required. */
        key: string;
      })
  ) &
  KeyProofOptions;

export const readEncryptedFolderNames = [callOptionNames, recoverFileKeyNames, keyProofNames, "key"] as const;

/** An encrypted folder, as its manifest describes it. */
export interface OpenedFolder extends EncryptedFolder, Pick<FolderManifest, "owner" | "createdAt"> {}

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
  cid = checkCid(cid);
  const onProgress = ({ loaded }: { loaded: number }) => {
    if (loaded > 2 * MAX_MANIFEST_BYTES) throw invalidFolder(cid, "it is too large");
  };
  const bytes = await decrypt(cid, { ...(options as DecryptOptions), onProgress });
  const { name, owner, createdAt, files } = parseManifest(cid, bytes);
  if (options.key === undefined) {
    const access = await kavachGetAccessConditions(cid, pickOptions(options, keyNodeOptionNames));
    if (checkAddress(access.owner) !== owner) throw invalidFolder(cid, "another account owns its key");
  }
  return { cid, name, size: files.reduce((sum, { size }) => sum + size, 0), files, owner, createdAt };
}
