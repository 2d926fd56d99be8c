import { type FileInfo, isKeeplightError, type Kit, type ListedFile, parseFolderName } from "keeplight";
import { isOtherKind } from "../folder/is-other-kind.ts";
import { getLastName } from "../routes.ts";
import { type FileFacts, toFileFacts } from "./file-facts.ts";

/** How long it may take to find out that something is a folder, in milliseconds. */
const PROBE_MS = 8_000;

/** As the service that is paid per upload names what it stores, of which the network does not say whether it is encrypted. */
const PAID_NAME = /^lh-upload-/;

/** Whether the key nodes have a key for a file. */
async function hasKey(kit: Pick<Kit, "kavachGetAccessConditions">, cid: string, signal: AbortSignal): Promise<boolean> {
  return kit.kavachGetAccessConditions(cid, { signal }).then(
    ({ owner }) => Boolean(owner),
    () => false,
  );
}

/** Whether the network's metadata alone says that something is a file: of folders it knows no type, and has no flag. */
export function isCertainlyFile({
  cid,
  encryption,
  mimeType,
}: Pick<ListedFile | FileInfo, "cid" | "encryption" | "mimeType">) {
  return encryption === true || Boolean(mimeType) || cid.startsWith("bafk");
}

/** Whether the network's metadata says that a file stands for an encrypted folder. */
export function isManifest({ encryption, fileName }: Pick<ListedFile | FileInfo, "encryption" | "fileName">): boolean {
  return encryption === true && parseFolderName(fileName ?? "")?.isManifest === true;
}

/**
 * Finds out what is stored: a file, of which the network may know nothing if it is in a folder, or a folder.
 *
 * @param within - the path at which the file was found, which ends with its name
 */
export async function findFacts(
  kit: Pick<Kit, "getFileInfo" | "openFile" | "kavachGetAccessConditions">,
  cid: string,
  within: string | undefined,
  signal: AbortSignal,
): Promise<FileFacts | "folder"> {
  const name = within === undefined ? undefined : getLastName(within);
  let info: FileInfo | undefined;
  let unknown: unknown;
  try {
    info = await kit.getFileInfo(cid, { signal });
    if (PAID_NAME.test(info.fileName ?? "")) info = { ...info, encryption: await hasKey(kit, cid, signal) };
    if (within === undefined && isManifest(info)) return "folder";
    if (isCertainlyFile(info)) return toFileFacts({ ...info, cid, fileName: name ?? info.fileName });
  } catch (error) {
    if (!isKeeplightError(error, "HTTP_STATUS") || error.details.status !== 404) throw error;
    unknown = error;
  }
  const { encryption = false, mimeType, fileName = null, fileSizeInBytes = null } = info ?? {};
  const known = { cid, encryption, mimeType, fileName: name ?? fileName };
  try {
    const { size } = await kit.openFile(cid, { signal, timeoutMs: PROBE_MS });
    return toFileFacts({ ...known, fileSizeInBytes: String(size) });
  } catch (error) {
    if (isOtherKind(error)) return "folder";
    if (!info) throw unknown;
    return toFileFacts({ ...known, fileSizeInBytes });
  }
}
