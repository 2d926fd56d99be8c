export { type BackupOptions, type BackupProgress, type BackupResult, backupFolder } from "./backup-folder.ts";
export {
  type CheckOptions,
  type CheckProblem,
  type CheckProgress,
  type CheckResult,
  checkBackups,
} from "./check-backups.ts";
export type { Entry, FileEntry, FolderEntry, LinkEntry, NameEntry } from "./entries.ts";
export {
  type ForgetOneOptions,
  type ForgetOptions,
  type ForgetResult,
  forgetSnapshot,
  forgetSnapshots,
  type PreviewForgetOptions,
  previewForget,
} from "./forget-snapshots.ts";
export { type Difference, diffSnapshots, type ListEntriesOptions, listEntries } from "./list-entries.ts";
export { type ListSnapshotsOptions, listSnapshots, type SnapshotList } from "./list-snapshots.ts";
export type { AccountOptions, ReadOptions, WriteOptions } from "./options.ts";
export { type BackupPreview, type PreviewBackupOptions, previewBackup } from "./preview-backup.ts";
export { type PruneOptions, type PruneResult, previewPrune, pruneBackups } from "./prune-backups.ts";
export {
  type RestoreOptions,
  type RestoreProgress,
  type RestoreResult,
  restoreBackup,
  type SkippedEntry,
} from "./restore-backup.ts";
export type { Retention } from "./retention.ts";
export type { SkippedFile } from "./scan-tree.ts";
export type { Snapshot } from "./snapshot.ts";
export type { BackupStore, StoreFile } from "./store.ts";
