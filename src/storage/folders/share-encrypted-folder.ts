import { callback } from "../../base/checks.ts";
import { type Operation, type OptionSchema, resolveOptions } from "../../base/operation.ts";
import { mixedSchema } from "../../base/options.ts";
import { type Addresses, checkAddresses } from "../../base/validation/address.ts";
import { type OwnerChangeOptions, ownerChangeSchema } from "../../keys/nodes/owner-call.ts";
import type { OnProgress } from "../progress.ts";
import type { OpenedFolder } from "./read-folder.ts";

/** Options of changing who may open a folder. */
export type FolderChangeOptions = OwnerChangeOptions & {
  /** Receives how many of the files are done, in `loaded`. @default none */
  onProgress?: OnProgress | undefined;
};

export const folderChangeSchema = {
  ...ownerChangeSchema,
  ...mixedSchema,
  onProgress: callback<OnProgress>(),
} satisfies OptionSchema<FolderChangeOptions>;

/** Options of {@link shareEncryptedFolder}. */
export type ShareFolderOptions = FolderChangeOptions & {
  /** Address or addresses that may open the folder from now on: EVM, or 44-character base58. */
  shareTo: Addresses;
};

const shareSchema = {
  ...folderChangeSchema,
  shareTo: checkAddresses,
} satisfies OptionSchema<ShareFolderOptions>;

export const shareEncryptedFolderOperation = { options: shareSchema } satisfies Operation<ShareFolderOptions>;

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
  const { shareTo, ...change } = resolveOptions(shareSchema, options);
  const { shareFolder } = await import("../lazy.ts");
  return shareFolder(cid, change, shareTo);
}
