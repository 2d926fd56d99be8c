import { stdout } from "node:process";
import type { Progress } from "keeplight";

const WIDTH = 30;

/** A progress bar in a terminal; without one, a single line at the end. */
export function createProgressBar(label: string): { update: (progress: Progress) => void; stop: () => void } {
  let line = "";
  return {
    update({ phase, fraction }) {
      const done = Math.round(fraction * WIDTH);
      const bar = "█".repeat(done) + "░".repeat(WIDTH - done);
      line = `   ${bar} ${String(Math.floor(fraction * 100)).padStart(3)}% ${label} ${phase}`;
      // Overwrites the previous line, which may have been longer.
      if (stdout.isTTY) stdout.write(`\r${line}\x1b[K`);
    },
    stop() {
      stdout.write(stdout.isTTY ? "\n" : `${line}\n`);
    },
  };
}
