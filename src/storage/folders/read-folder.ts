import { invalidFolder } from "../../base/errors/folder.ts";
import { pickOptions } from "../../base/operation.ts";
import { checkAddress } from "../../base/validation/address.ts";
import { isUnportable } from "../../base/validation/file-name.ts";
import { checkCid } from "../../formats/cid/check-cid.ts";
import { type FolderManifest, MAX_MANIFEST_BYTES, parseManifest } from "../../formats/folder-file/manifest.ts";
import { kavachGetAccessConditions } from "../../keys/access/get-access-conditions.ts";
import { keyNodeSchema } from "../../keys/nodes/node-client.ts";
import { type DecryptOptions, decrypt } from "../download/decrypt.ts";
import { describeFolder, type EncryptedFolder } from "./finish-folder.ts";

/** An encrypted folder, as its manifest describes it. */
export interface OpenedFolder extends EncryptedFolder, Pick<FolderManifest, "owner" | "createdAt"> {
  /**
   * Paths of files that Windows cannot write as they are: names of devices, colons, backslashes, and dots or spaces at the
   * end. Absent if there are none.
   */
  unportablePaths?: string[];
}

/** Options of reading a manifest: those of {@link decrypt}, of a call that has resolved its own. */
interface ReadOptions {
  key?: string | readonly string[] | undefined;
}

/** Reads an encrypted folder; see the public function `readEncryptedFolder`. */
export async function readFolder(cid: string, options: ReadOptions): Promise<OpenedFolder> {
  cid = checkCid(cid);
  return toOpenedFolder(cid, await readManifest(cid, options));
}

/** Reads the manifest of an encrypted folder. */
export async function readManifest(cid: string, options: ReadOptions): Promise<FolderManifest> {
  const onProgress = ({ loaded }: { loaded: number }) => {
    if (loaded > 2 * MAX_MANIFEST_BYTES) throw invalidFolder(cid, "it is too large");
  };
  const bytes = await decrypt(cid, { ...(options as DecryptOptions), onProgress });
  const manifest = parseManifest(cid, bytes);
  if (options.key === undefined) {
    const access = await kavachGetAccessConditions(cid, pickOptions(options, keyNodeSchema));
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
