import { type Operation, type OptionSchema, resolveOptions } from "../../base/operation.ts";
import { type Addresses, checkAddresses } from "../../base/validation/address.ts";
import type { OpenedFolder } from "./read-folder.ts";
import { type FolderChangeOptions, folderChangeSchema } from "./share-encrypted-folder.ts";

/** Options of {@link revokeEncryptedFolder}. */
export type RevokeFolderOptions = FolderChangeOptions & {
  /** Address or addresses that may not open the folder any more. */
  revokeTo: Addresses;
};

const revokeSchema = {
  ...folderChangeSchema,
  revokeTo: checkAddresses,
} satisfies OptionSchema<RevokeFolderOptions>;

export const revokeEncryptedFolderOperation = { options: revokeSchema } satisfies Operation<RevokeFolderOptions>;

/**
 * Withdraws access to all files of an encrypted folder, and to its manifest. Who had access may have kept the keys.
 *
 * @throws as {@link shareEncryptedFolder}
 */
export async function revokeEncryptedFolder(cid: string, options: RevokeFolderOptions): Promise<OpenedFolder> {
  const { revokeTo, ...change } = resolveOptions(revokeSchema, options);
  const { revokeFolder } = await import("../lazy.ts");
  return revokeFolder(cid, change, revokeTo);
}
