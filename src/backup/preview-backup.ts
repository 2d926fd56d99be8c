import { absolutePath } from "#platform";
import { checkOptions } from "../validation/check-options.ts";
import { checkText } from "../validation/text.ts";
import { readLines } from "./entries/lines.ts";
import type { Line } from "./entries/types.ts";
import { scanFolder } from "./scan/scan-folder.ts";
import { isToSend } from "./scan/write-tree.ts";
import { readSet } from "./set/backup-set.ts";
import { toPlaces } from "./set/run.ts";

/** What a backup would do. */
export interface BackupPreview {
  /** How many files the folder has. */
  files: number;
  /** Of all of them. */
  bytes: number;
  /** How many of them are new, or have changed. */
  filesToSend: number;
  /** Of those. */
  bytesToSend: number;
}

/**
 * Finds out what `backupFolder` would send. Sends and writes nothing.
 *
 * @param options - `state` as for `backupFolder`
 * @throws `INVALID_OPTION`, `SOURCE_UNREADABLE`, `ABORTED`
 */
export async function previewBackup(
  folder: string,
  options: {
    /** Folder with the state of the backups. */
    state: string;
    /** Ends the call. @default none */
    signal?: AbortSignal | undefined;
  },
): Promise<BackupPreview> {
  const { state, signal } = checkOptions(options, "state,signal");
  const excluded = absolutePath(checkText("state", state));
  const root = absolutePath(checkText("folder", folder));
  const { set } = await readSet(state);
  const isPublic = set !== undefined && set.encryption === undefined;
  const lines = readLines<Line>(toPlaces(excluded).index);
  const preview: BackupPreview = { files: 0, bytes: 0, filesToSend: 0, bytesToSend: 0 };
  for await (const line of scanFolder({ root, excluded, isPublic, signal }, lines)) {
    if (line.kind !== "file") continue;
    preview.files++;
    preview.bytes += line.size;
    if (!isToSend(line)) continue;
    preview.filesToSend++;
    preview.bytesToSend += line.size;
  }
  return preview;
}
