import type { DriveEntry, DriveFile } from "@keeplight/drive";
import type { FileInfo, Kit, ListedFile } from "keeplight";
import { getMimeType } from "../files/file-kind.ts";
import { formatBytes } from "../messages/format.ts";
import { getMessages } from "../messages/language.ts";
import { getViewer, type Viewer } from "./viewer.ts";

/** Salt, initialization vector and tag, which encryption adds to a file. */
const ENCRYPTION_BYTES = 44;

/** A file's metadata, as the screens need it. Nothing authenticates it before the file is opened. */
export interface FileFacts {
  fileName: string;
  /** In bytes, without what encryption adds; NaN if unknown. */
  size: number;
  encryption: boolean;
  /** MIME type; by the name if the network knows none. */
  type: string;
  viewer: Viewer;
}

/** Converts an entry of the account's list, or the network's metadata. */
export function toFileFacts({
  cid,
  fileName,
  fileSizeInBytes,
  encryption,
  mimeType,
}: Pick<ListedFile | FileInfo, "cid" | "fileName" | "fileSizeInBytes" | "encryption" | "mimeType">): FileFacts {
  const name = fileName || cid;
  const type = getMimeType(name, mimeType);
  return {
    fileName: name,
    size: getPlainSize({ fileSizeInBytes, encryption }),
    encryption: encryption === true,
    type,
    viewer: getViewer(name, type),
  };
}

/** Converts a file of the drive. */
export function toEntryFacts({ name, size }: DriveFile, isPublic: boolean): FileFacts {
  // The drive's media types are more than what browsers show.
  const type = getMimeType(name, undefined);
  return { fileName: name, size, encryption: !isPublic, type, viewer: getViewer(name, type) };
}

/** Converts a row of the list of files, also one that is in the drive. */
export function toRowFacts(row: ListedFile & { entry?: DriveEntry }): FileFacts {
  return row.entry?.type === "file" ? toEntryFacts(row.entry, row.encryption === false) : toFileFacts(row);
}

/** Returns the size of a listed file, in bytes, without what encryption adds; NaN if unknown. */
export function getPlainSize({
  fileSizeInBytes,
  encryption,
}: Pick<ListedFile | FileInfo, "fileSizeInBytes" | "encryption">): number {
  const stored = Number(fileSizeInBytes ?? Number.NaN);
  return Math.max(0, encryption === true ? stored - ENCRYPTION_BYTES : stored);
}

/** Returns the size that lists show, in bytes; the entry of a folder has that of its files. */
export function getListedSize(file: ListedFile, isFolder: boolean): number {
  return isFolder ? Number(file.fileSizeInBytes) : getPlainSize(file);
}

/** Returns the facts of an own file as the account's list has them: another one's folder may call it anything. */
export function toOwnFacts({ size, encryption }: FileFacts, cid: string, own: ListedFile | undefined): FileFacts {
  const { fileName = null, mimeType = null } = own ?? {};
  return { ...toFileFacts({ cid, fileName, mimeType, encryption, fileSizeInBytes: null }), size };
}

/** Formats the size of a file. */
export function formatSize({ size }: Pick<FileFacts, "size">): string {
  return size >= 0 ? formatBytes(size) : getMessages().file.unknown;
}

/** Loads a file's metadata from the network; `name` is what else is known to be its name. */
export async function readFileFacts(
  kit: Pick<Kit, "getFileInfo">,
  cid: string,
  signal: AbortSignal,
  name?: string,
): Promise<FileFacts> {
  const info = await kit.getFileInfo(cid, { signal });
  return toFileFacts({ ...info, fileName: name ?? info.fileName });
}
