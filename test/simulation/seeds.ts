/** Seeds of histories that failed once. Every run executes them first. */
export const FAILED_SEEDS: readonly number[] = [
  82, 165, 241, 277, 316, 499, 543, 917, 1244, 1360, 1707, 1731, 1910, 1001008, 2000257, 10001011,
];
