/** Prints a figure with its goal. */
export function judge(label: string, measured: number, goal: number, relation: "at most" | "at least"): void {
  const met = relation === "at most" ? measured <= goal : measured >= goal;
  const outcome = met ? "met" : "MISSED";
  console.log(`${outcome.padEnd(12)}${label}: ${measured.toFixed(goal < 10 ? 2 : 0)}, ${relation} ${goal}`);
}

/** Returns the middle one of sorted figures. */
export function median(sorted: readonly number[]): number {
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
