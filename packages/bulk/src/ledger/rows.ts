import type { BulkFile } from "../plan/types.ts";
import type { LedgerRow, StatusCount } from "./types.ts";

/** Makes the row of a file that was just found. */
export function toRow(file: BulkFile, index: number): LedgerRow {
  return { ...file, index, status: "found" };
}

/** Adds rows to the counts of their statuses, or removes them. */
export function countRows(counts: StatusCount[], rows: readonly LedgerRow[], sign: 1 | -1 = 1): void {
  for (const { status, problem, size } of rows) {
    const isSetAside = problem !== undefined;
    let count = counts.find((each) => each.status === status && each.isSetAside === isSetAside);
    if (!count) {
      count = { status, isSetAside, files: 0, bytes: 0 };
      counts.push(count);
    }
    count.files += sign;
    count.bytes += sign * size;
  }
}
