import type { FileInfo, Kit, ListedFile } from "keeplight";
import { typeOf } from "../files/file-kind.ts";

/** What a screen needs to know of a file. */
export interface FileFacts {
  fileName: string;
  /** In bytes, as stored. */
  size: number;
  encryption: boolean;
  /** MIME type, by the name where the network knows none. */
  type: string;
}

/** What the account's own list, or the network, says of a file. */
export function factsOf({ cid, fileName, fileSizeInBytes, encryption, mimeType }: ListedFile | FileInfo): FileFacts {
  const name = fileName ?? cid;
  return {
    fileName: name,
    size: Number(fileSizeInBytes),
    encryption: encryption === true,
    type: typeOf(name, mimeType),
  };
}

/** Asks the network about a file. */
export async function readFileFacts(kit: Kit, cid: string, signal: AbortSignal): Promise<FileFacts> {
  return factsOf(await kit.getFileInfo(cid, { signal }));
}
