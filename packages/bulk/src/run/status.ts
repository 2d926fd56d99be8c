import type { FileStatus, LedgerPlan, PlanState, StatusCount } from "../ledger/types.ts";

/** How far a plan is. */
export interface BulkStatus {
  /** Id of the plan. */
  id: string;
  /** Name of the plan. */
  name: string;
  /** Whether it is worked on. `done`: every file is done or set aside, and the plan is neither paused nor cancelled. */
  state: PlanState | "done";
  /** How many files the plan has. */
  files: number;
  /** Size of all files, in bytes. */
  bytes: number;
  /** How many files have each status and are not set aside. */
  counts: Record<FileStatus, number>;
  /** How many files and folders the plan leaves out, because they could not be read. */
  skipped: number;
  /** How many files are set aside because of an error, until they are retried. */
  setAside: number;
  /** How many files are stored, and if the plan is encrypted, have their keys on the key nodes. */
  filesDone: number;
  /** Size of those files, in bytes. */
  bytesDone: number;
}

/** Summarises the counts of a ledger. */
export function toStatus(plan: LedgerPlan, found: readonly StatusCount[]): BulkStatus {
  const { id, name, state, files, bytes, encrypted, skipped: { count: skipped } = { count: 0 } } = plan;
  const counts: BulkStatus["counts"] = { found: 0, sent: 0, stored: 0, saved: 0, verified: 0 };
  const done = { setAside: 0, filesDone: 0, bytesDone: 0 };
  const status: BulkStatus = { id, name, state, files, bytes, counts, skipped, ...done };
  for (const count of found) {
    if (count.isSetAside) {
      status.setAside += count.files;
      continue;
    }
    counts[count.status] += count.files;
    const isDone = count.status === "verified" || count.status === (encrypted ? "saved" : "stored");
    if (!isDone) continue;
    status.filesDone += count.files;
    status.bytesDone += count.bytes;
  }
  // Batches that the ledger does not have yet.
  counts.found += files - found.reduce((sum, count) => sum + count.files, 0);
  const isDone = status.filesDone + status.setAside === files;
  return isDone && state === "running" ? { ...status, state: "done" } : status;
}
