export { type BackupPreview, type BackupResult, backupFolder, previewBackup } from "./backup-folder.ts";
export type { BackupAccount, BackupOptions, BackupProgress } from "./backup-options.ts";
export { getSnapshot, listSnapshots, type SnapshotList } from "./get-snapshot.ts";
export {
  type PrunedFile,
  type PruneOptions,
  type PrunePreview,
  type PruneResult,
  previewPrune,
  pruneSnapshots,
} from "./prune-snapshots.ts";
export {
  type RestoreOptions,
  type RestoreProgress,
  type RestoreResult,
  restoreBackup,
  type SkippedEntry,
} from "./restore-backup.ts";
export type { Snapshot } from "./snapshot-format.ts";
export type { SkippedFile } from "./tree.ts";
