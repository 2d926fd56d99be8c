/** What all names start with that backups are stored under. */
const MARKER = "keeplight-backup-";

/** Returns the name of the plan of one run: its batches are stored under names that start with it. */
export function toPlanName(set: string, run: string): string {
  return `${MARKER}${set}-${run}`;
}

/** Returns the name that a snapshot is stored under. */
export function toSnapshotName(set: string, createdAt: number): string {
  return `${MARKER}${set}.${createdAt}.snapshot`;
}

/** What a name in the listing of an account says: nothing of it is proven. */
export interface StoredName {
  /** Id of the set. */
  set: string;
  /** Id of the run that stored a batch; absent for a snapshot. */
  run?: string;
  /** When a snapshot was stored, in milliseconds since 1970; absent for a batch. */
  createdAt?: number;
}

/** Reads the name of a batch or a snapshot; `undefined` for any other file. */
export function parseStoredName(name: string): StoredName | undefined {
  const [, set, run, createdAt] =
    /^keeplight-backup-([0-9a-f]{16})(?:-([0-9a-f]{8})-\d{5,}|\.(\d+)\.snapshot)$/.exec(name) ?? [];
  if (set === undefined) return undefined;
  return { set, ...(run === undefined ? { createdAt: Number(createdAt) } : { run }) };
}
