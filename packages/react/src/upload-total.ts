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

/** Sums over a list, updated entry by entry. Only the running entries are visited to compute a total. */
export interface TotalCounter {
  add(entry: UploadEntry): void;
  remove(entry: UploadEntry): void;
  compute(): UploadTotal;
}

export function createTotalCounter(): TotalCounter {
  const count = { waiting: 0, running: 0, done: 0, failed: 0, aborted: 0 };
  // Whole numbers: adding and subtracting fractions would drift away from 0 and 1.
  let size = 0;
  let weight = 0;
  let doneWeight = 0;
  const running = new Set<UploadEntry>();

  function update(entry: UploadEntry, sign: 1 | -1): void {
    const { status } = entry.state;
    count[status] += sign;
    if (status === "aborted") return;
    size += sign * (entry.size ?? 0);
    weight += sign * computeWeight(entry);
    if (status === "done") doneWeight += sign * computeWeight(entry);
  }

  return {
    add(entry) {
      update(entry, 1);
      if (entry.state.status === "running") running.add(entry);
    },
    remove(entry) {
      update(entry, -1);
      running.delete(entry);
    },
    compute() {
      let sum = doneWeight;
      for (const entry of running) sum += computeWeight(entry) * getFraction(entry.state);
      const fraction = weight === 0 ? 0 : sum / weight;
      return { count: { ...count }, active: count.waiting + count.running > 0, size, fraction };
    },
  };
}

/** An empty file is some work, too. */
function computeWeight({ size = 0 }: UploadEntry): number {
  return size + 1;
}

function getFraction(state: UploadState): number {
  return state.status === "running" ? (state.progress?.fraction ?? 0) : 0;
}
