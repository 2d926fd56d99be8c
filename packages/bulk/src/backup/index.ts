export { type BackupResult, backupFolder } from "./backup-folder.ts";
export type { BackupAccount, BackupOptions, BackupProgress } from "./backup-options.ts";
export { type BackupPreview, previewBackup } from "./preview-backup.ts";
export {
  type PrunedFile,
  type PruneOptions,
  type PrunePreview,
  type PruneResult,
  previewPrune,
  pruneSnapshots,
} from "./prune/prune-snapshots.ts";
export type { SkippedEntry } from "./restore/can-restore.ts";
export {
  type RestoreOptions,
  type RestoreProgress,
  type RestoreResult,
  restoreBackup,
} from "./restore/restore-backup.ts";
export type { SkippedFile } from "./send/complete-index.ts";
export { getSnapshot, type Snapshot } from "./snapshot/get-snapshot.ts";
export { listSnapshots, type SnapshotList } from "./snapshot/list-snapshots.ts";
