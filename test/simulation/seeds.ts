import type { HistoryPacing } from "./history.ts";

/** A history that can be repeated. */
export interface SeededRun {
  seed: number;
  pacing: HistoryPacing;
}

const sequential = [
  82, 165, 241, 277, 316, 499, 543, 917, 1244, 1360, 1707, 1731, 1910, 1001008, 2000257, 10001011, 30001549, 40001945,
  40012325,
];

const mixed = [40009390, 40021172, 41014006];

/** Histories that failed once. Every run executes them first. */
export const failedRuns: readonly SeededRun[] = [
  ...sequential.map((seed): SeededRun => ({ seed, pacing: "sequential" })),
  ...mixed.map((seed): SeededRun => ({ seed, pacing: "mixed" })),
];
