import type { FileInfo, Kit, ListedFile } from "keeplight";
import { getMimeType } from "../files/file-kind.ts";

/** A file's metadata, as the screens need it. */
export interface FileFacts {
  fileName: string;
  /** In bytes, as stored. */
  size: number;
  encryption: boolean;
  /** MIME type; by the name if the network knows none. */
  type: string;
}

/** Converts an entry of the account's list, or the network's metadata. */
export function toFileFacts({
  cid,
  fileName,
  fileSizeInBytes,
  encryption,
  mimeType,
}: ListedFile | FileInfo): FileFacts {
  const name = fileName ?? cid;
  return {
    fileName: name,
    size: Number(fileSizeInBytes),
    encryption: encryption === true,
    type: getMimeType(name, mimeType),
  };
}

/** Loads a file's metadata from the network. */
export async function readFileFacts(kit: Kit, cid: string, signal: AbortSignal): Promise<FileFacts> {
  return toFileFacts(await kit.getFileInfo(cid, { signal }));
}
