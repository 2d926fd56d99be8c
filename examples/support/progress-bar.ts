import { stdout } from "node:process";
import type { Progress } from "keeplight";

const WIDTH = 30;

/** A progress bar in the terminal; a line at the end where the output goes elsewhere. */
export function progressBar(label: string): { update: (progress: Progress) => void; stop: () => void } {
  let line = "";
  return {
    update({ phase, fraction }) {
      const done = Math.round(fraction * WIDTH);
      const bar = "█".repeat(done) + "░".repeat(WIDTH - done);
      line = `   ${bar} ${String(Math.floor(fraction * 100)).padStart(3)} % ${label} ${phase}`;
      // Over the line before, which may have been longer.
      if (stdout.isTTY) stdout.write(`\r${line}\x1b[K`);
    },
    stop() {
      stdout.write(stdout.isTTY ? "\n" : `${line}\n`);
    },
  };
}
