import type { UploadEntry, UploadState } from "./upload-entry.ts";

/** All uploads of a list together. */
export interface UploadTotal {
  /** How many there are, by status. */
  count: Record<UploadState["status"], number>;
  /** Whether any upload is waiting or running. */
  active: boolean;
  /** In bytes, of those whose size is known. */
  size: number;
  /** Of all but the aborted ones, weighted by size: 0 to 1, and 1 when all are done. */
  fraction: number;
}

/** What a list shows at one moment. */
export interface UploadListState {
  /** The same array until an upload is added or removed. */
  ids: readonly string[];
  uploads: readonly UploadEntry[];
  total: UploadTotal;
}

/** The state of a list of these uploads. Its total is computed when it is read: most components do not show it. */
export function createListState(ids: readonly string[], uploads: readonly UploadEntry[]): UploadListState {
  let total: UploadTotal | undefined;
  return {
    ids,
    uploads,
    get total() {
      total ??= computeTotal(uploads);
      return total;
    },
  };
}

/** The empty list. One object, so that a server's and a page's first rendering are the same. */
export const emptyList = createListState([], []);

function computeTotal(uploads: readonly UploadEntry[]): UploadTotal {
  const count = { waiting: 0, running: 0, done: 0, failed: 0, aborted: 0 };
  let [size, weight, done] = [0, 0, 0];
  for (const { state, size: own = 0 } of uploads) {
    count[state.status]++;
    if (state.status === "aborted") continue;
    size += own;
    // An empty file is some work, too.
    weight += own + 1;
    if (state.status === "done") done += own + 1;
    if (state.status === "running") done += (own + 1) * (state.progress?.fraction ?? 0);
  }
  return { count, active: count.waiting + count.running > 0, size, fraction: weight === 0 ? 0 : done / weight };
}
