import { callback, callSchema, type OptionSchema, resolveOptions } from "keeplight/parts";
import { folderPath } from "./checks.ts";
import { joinPaths } from "./entries.ts";
import { readKnownEntries } from "./folder-state.ts";
import { getRoot, openOrigin } from "./origin.ts";
import type { BackupStore } from "./store.ts";

/** Options of {@link previewBackup}: as those of `backupFolder`. */
export interface PreviewBackupOptions {
  state: string;
  /** @default everything is backed up */
  filter?: ((path: string) => boolean) | undefined;
  /** Receives each failure of a store that is down, which is waited for. What it throws is ignored. @default none */
  onError?: ((error: unknown) => void) | undefined;
  /** Ends the call. @default none */
  signal?: AbortSignal | undefined;
}

const schema = {
  state: folderPath,
  filter: callback<(path: string) => boolean>(),
  onError: callback<(error: unknown) => void>(),
  signal: callSchema.signal,
} satisfies OptionSchema<PreviewBackupOptions>;

/** What a backup would read. */
export interface BackupPreview {
  /** How many files the snapshot would have. */
  files: number;
  /** Size of those files, in bytes. */
  bytes: number;
  /** How many of them are new or have changed since the last backup from this state: only these are read. */
  filesToRead: number;
  /** Size of those files: no more than that would be sent, as the account may have parts of them already. */
  bytesToRead: number;
}

/**
 * Finds out what `backupFolder` would read. Changes nothing, and sends no request but those that list a store.
 *
 * @param source - the path of a folder, or a store
 * @throws `INVALID_OPTION`, `SOURCE_UNREADABLE`, `ABORTED`; what listing a store throws
 *
 * @example
 * const { filesToRead, bytesToRead } = await previewBackup("/home/ada/letters", { state: "/home/ada/.backups" });
 */
export async function previewBackup(
  source: string | BackupStore,
  options: PreviewBackupOptions,
): Promise<BackupPreview> {
  const { state, filter, onError, signal } = resolveOptions(schema, options);
  const root = getRoot(source);
  const preview: BackupPreview = { files: 0, bytes: 0, filesToRead: 0, bytesToRead: 0 };
  const origin = await openOrigin(source, { state, onError, signal });
  const found = origin.walk({ filter, onSkipped: () => undefined });
  for await (const { left, right } of joinPaths(found, readKnownEntries(state, root))) {
    if (left?.kind !== "file") continue;
    const { size } = left.facts;
    preview.files++;
    preview.bytes += size;
    if (right?.kind === "file" && left.state !== undefined && right.state === left.state) continue;
    preview.filesToRead++;
    preview.bytesToRead += size;
  }
  return preview;
}
