import { type OptionSchema, resolveOptions, signal } from "keeplight/parts";
import type { BackupOptions } from "./backup-options.ts";
import { readLines } from "./entries/lines.ts";
import type { Line } from "./entries/types.ts";
import { scanFolder } from "./scan/scan-folder.ts";
import { isToSend } from "./scan/write-tree.ts";
import { folderPath, readSet } from "./set/backup-set.ts";
import { toPlaces } from "./set/run.ts";

/** What a backup would do. */
export interface BackupPreview {
  /** How many files the folder has. */
  files: number;
  /** Size of all files, in bytes. */
  bytes: number;
  /** How many of them are new, or have changed. */
  filesToSend: number;
  /** Size of those files, in bytes. */
  bytesToSend: number;
}

const schema = {
  state: folderPath,
  signal,
} satisfies OptionSchema<Pick<BackupOptions, "state" | "signal">>;

/**
 * Finds out what `backupFolder` would send. Sends and writes nothing.
 *
 * @param options - `state` as for `backupFolder`
 * @throws `INVALID_OPTION`, `SOURCE_UNREADABLE`, `ABORTED`
 */
export async function previewBackup(
  folder: string,
  options: Pick<BackupOptions, "state" | "signal">,
): Promise<BackupPreview> {
  const { state: excluded, signal } = resolveOptions(schema, options);
  const root = folderPath(folder, "folder");
  const set = await readSet(excluded);
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
