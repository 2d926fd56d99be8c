/** Prints what an example does, and counts its checks. */

let steps = 0;
let passed = 0;
const failed: string[] = [];

/** Starts a numbered section. */
export function step(title: string): void {
  steps++;
  console.log(`\n${steps}. ${title}`);
}

/** Prints a line. */
export function print(text: string): void {
  console.log(`   ${text}`);
}

/** Prints a claim, and whether it is true. */
export function check(claim: string, isTrue: boolean): void {
  console.log(`   ${isTrue ? "✔" : "✘"} ${claim}`);
  if (isTrue) passed++;
  else failed.push(claim);
}

/** Prints a summary; the process exits with 1 if a check failed. */
export function finish(): void {
  console.log(`\n${passed} checks passed, ${failed.length} failed.`);
  if (failed.length > 0) process.exitCode = 1;
}
