import { invalidFolder } from "../errors/folder.ts";
import { type FolderManifest, MAX_MANIFEST_BYTES, parseManifest } from "../folder-file/manifest.ts";
import type { DecryptOptions } from "../transfer/download/decrypt.ts";
import { describeFolder, type EncryptedFolder } from "../transfer/upload/finish-folder.ts";
import { checkAddress } from "../validation/address.ts";
import { pickOptions } from "../validation/check-options.ts";
import { checkCid } from "../validation/cid.ts";
import { isUnportable } from "../validation/file-name.ts";
import type { FolderCalls } from "./folder-calls.ts";
import type { ReadEncryptedFolderOptions } from "./read-folder-options.ts";

/** An encrypted folder, as its manifest describes it. */
export interface OpenedFolder extends EncryptedFolder, Pick<FolderManifest, "owner" | "createdAt"> {
  /**
   * Paths of files that Windows cannot write as they are: names of devices, colons, backslashes, and dots or spaces at the
   * end. Absent if there are none.
   */
  unportablePaths?: string[];
}

/** The calls that a folder is read by. */
type ReadCalls = Pick<FolderCalls, "decrypt" | "kavachGetAccessConditions" | "keyNodeOptionNames">;

/** Reads an encrypted folder; see the public function `readEncryptedFolder`. */
export async function readFolder(
  cid: string,
  options: ReadEncryptedFolderOptions,
  calls: ReadCalls,
): Promise<OpenedFolder> {
  cid = checkCid(cid);
  return toOpenedFolder(cid, await readManifest(cid, options, calls));
}

/** Reads the manifest of an encrypted folder. */
export async function readManifest(
  cid: string,
  options: ReadEncryptedFolderOptions,
  calls: ReadCalls,
): Promise<FolderManifest> {
  const onProgress = ({ loaded }: { loaded: number }) => {
    if (loaded > 2 * MAX_MANIFEST_BYTES) throw invalidFolder(cid, "it is too large");
  };
  const bytes = await calls.decrypt(cid, { ...(options as DecryptOptions), onProgress });
  const manifest = parseManifest(cid, bytes);
  if (options.key === undefined) {
    const access = await calls.kavachGetAccessConditions(cid, pickOptions(options, calls.keyNodeOptionNames));
    if (checkAddress(access.owner) !== manifest.owner) throw invalidFolder(cid, "another account owns its key");
  }
  return manifest;
}

/** Describes the folder that a manifest is of. */
export function toOpenedFolder(cid: string, manifest: FolderManifest): OpenedFolder {
  const { owner, createdAt } = manifest;
  const unportablePaths = manifest.files.map(({ path }) => path).filter(isUnportable);
  const reported = unportablePaths.length > 0 ? { unportablePaths } : {};
  return { ...describeFolder(cid, manifest), owner, createdAt, ...reported };
}
