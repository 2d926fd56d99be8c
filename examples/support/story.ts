/** Tells what an example does, and keeps count of what it checks. */

let steps = 0;
let held = 0;
const failed: string[] = [];

/** Begins a chapter. */
export function step(title: string): void {
  steps++;
  console.log(`\n${steps}. ${title}`);
}

/** Says something about it. */
export function say(text: string): void {
  console.log(`   ${text}`);
}

/** Says what has to hold and whether it does. */
export function check(what: string, holds: boolean): void {
  console.log(`   ${holds ? "✔" : "✘"} ${what}`);
  if (holds) held++;
  else failed.push(what);
}

/** Ends the story; the process ends with 1 if a check failed. */
export function finish(): void {
  console.log(`\n${held} checks held, ${failed.length} failed.`);
  if (failed.length > 0) process.exitCode = 1;
}
