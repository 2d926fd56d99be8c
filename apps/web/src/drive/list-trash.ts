import type { DriveEntry } from "@keeplight/drive";

/** What was moved to the trash, without what is in folders that were. */
export function listTrash(entries: readonly DriveEntry[]): DriveEntry[] {
  const trashed = new Set(entries.flatMap(({ id, trashed }) => (trashed ? [id] : [])));
  return entries.filter(({ trashed: isTrashed, parent }) => isTrashed && !trashed.has(parent));
}
