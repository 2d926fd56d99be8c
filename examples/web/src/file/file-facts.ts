import type { Kit, ListedFile } from "keeplight";
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

/** What the account's own list says of a file. */
export function factsOf({ fileName, fileSizeInBytes, encryption, mimeType }: ListedFile): FileFacts {
  return { fileName, size: Number(fileSizeInBytes), encryption, type: typeOf(fileName, mimeType) };
}

/** Asks the network about a file. */
export async function readFileFacts(kit: Kit, cid: string, signal: AbortSignal): Promise<FileFacts> {
  const { fileName, fileSizeInBytes, encryption, mimeType } = await kit.getFileInfo(cid, { signal });
  return { fileName, size: Number(fileSizeInBytes), encryption, type: typeOf(fileName, mimeType) };
}
