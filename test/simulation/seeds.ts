/** Seeds of histories that failed once. Every run executes them first. */
export const FAILED_SEEDS: readonly number[] = [82, 165, 241, 277, 917];
