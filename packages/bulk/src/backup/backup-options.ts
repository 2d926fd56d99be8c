import type { BearerOptions, OwnerCallOptions, StorageClass } from "keeplight";
import {
  bearerSchema,
  boolean,
  callback,
  mixedSchema,
  type OptionSchema,
  ownerCallSchema,
  type Resolved,
  storageSchema,
  wholeNumber,
} from "keeplight/parts";
import { folderPath } from "../plan/own-folders.ts";

/** The account that backups are stored for. */
export type BackupAccount = BearerOptions & OwnerCallOptions;

const ownerSchema = { ...bearerSchema, ...ownerCallSchema };
export const backupAccountSchema = { ...ownerSchema, ...mixedSchema } satisfies OptionSchema<BackupAccount>;
export type ResolvedAccount = Resolved<typeof backupAccountSchema>;

/** How far a backup is. */
export interface BackupProgress {
  /** `listing` the folder, `sending` files, `storing` the snapshot. */
  phase: "listing" | "sending" | "storing";
  /** How many files were listed or are stored. */
  files: number;
  /** How many files are to be sent; absent while they are listed. */
  total?: number;
}

/** Options of `backupFolder`. */
export type BackupOptions = BackupAccount & {
  /**
   * Folder for what is known of the backups of this folder, and nothing else; created with mode 0700. It has the key of all
   * files: keep it as private as the files.
   */
  state: string;
  /**
   * Store the files as they are, so that everyone can read them, but not their names.
   *
   * @default false
   */
  public?: boolean | undefined;
  /** Storage class of the files and the snapshot. @default the network's own */
  storage?: StorageClass | undefined;
  /** How many requests are sent concurrently. @default 4 */
  workers?: number | undefined;
  /**
   * Receives errors of requests that are tried again: also each failure of a service that is down, which is waited for, up to an
   * hour. What it throws or rejects with is ignored.
   *
   * @default none
   */
  onError?: ((error: unknown) => void) | undefined;
  /** Receives how far the backup is. @default none */
  onProgress?: ((progress: BackupProgress) => void) | undefined;
};

export const backupSchema = {
  ...backupAccountSchema,
  state: folderPath,
  public: boolean(false),
  storage: storageSchema.storage,
  workers: wholeNumber(4, 1, 1_000),
  onError: callback<(error: unknown) => void>(),
  onProgress: callback<(progress: BackupProgress) => void>(),
} satisfies OptionSchema<BackupOptions>;

export type ResolvedBackup = Resolved<typeof backupSchema>;
