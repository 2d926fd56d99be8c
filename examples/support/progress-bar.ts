import { SingleBar } from "cli-progress";
import type { Progress } from "keeplight";

/** A progress bar in the terminal; a line at the end where the output goes elsewhere. */
export function progressBar(label: string): { update: (progress: Progress) => void; stop: () => void } {
  const bar = new SingleBar({
    format: `   {bar} {percentage} % ${label} {phase}`,
    hideCursor: true,
    noTTYOutput: true,
    notTTYSchedule: 60_000,
    barsize: 30,
  });
  bar.start(1000, 0, { phase: "" });
  return {
    update: ({ phase, fraction }) => bar.update(Math.round(fraction * 1000), { phase }),
    stop: () => bar.stop(),
  };
}
