import { createRequire } from "node:module";
import { stderr } from "node:process";
import type cliProgress from "cli-progress";
import type { Progress } from "keeplight";
import { clean } from "./clean.ts";
import { formatBytes, formatDuration } from "./format.ts";

/** A bar with the speed and the time left. */
export interface Bar {
  update(name: string, progress: Progress): void;
  stop(): void;
}

const require = createRequire(import.meta.url);
const MAX_NAME = 24;
/** How much of the past the speed is computed from, in milliseconds. */
const WINDOW_MS = 5_000;
const SIZE = 1_000;

/** Creates a bar on standard error, which must be a terminal. */
export function createBar(): Bar {
  let bar: cliProgress.SingleBar | undefined;
  let meter = createMeter();
  let phase = "";

  return {
    update(name, progress) {
      if (progress.phase !== phase) {
        phase = progress.phase;
        meter = createMeter();
      }
      const payload = { name: shorten(clean(name)), phase, ...meter(progress) };
      if (bar) return void bar.update(Math.round(progress.fraction * SIZE), payload);
      // Loaded by the first bar: most commands draw none.
      const { SingleBar } = require("cli-progress") as typeof cliProgress;
      bar = new SingleBar({
        stream: stderr,
        format: "{name} {bar} {percentage}% {phase} {speed} {left}",
        barCompleteChar: "█",
        barIncompleteChar: "░",
        barsize: Math.min(30, Math.max((stderr.columns ?? 80) - 64, 5)),
        hideCursor: true,
        clearOnComplete: true,
        // The command has its own way to end.
        gracefulExit: false,
        linewrap: false,
      });
      bar.start(SIZE, Math.round(progress.fraction * SIZE), payload);
    },
    stop() {
      bar?.stop();
      bar = undefined;
    },
  };
}

/** Computes the speed of the last seconds, and from it the time left. */
function createMeter(): (progress: Progress) => { speed: string; left: string } {
  const seen: { at: number; loaded: number }[] = [];
  return ({ phase, loaded, total }) => {
    const now = performance.now();
    seen.push({ at: now, loaded });
    while (seen.length > 2 && now - (seen[0]?.at ?? now) > WINDOW_MS) seen.shift();
    const [first] = seen;
    const seconds = first ? (now - first.at) / 1000 : 0;
    const perSecond = first && seconds > 0 ? (loaded - first.loaded) / seconds : 0;
    // Shards are counted, not bytes.
    const speed = phase === "saving-keys" || perSecond <= 0 ? "" : `${formatBytes(perSecond)}/s`;
    const left = total === undefined || perSecond <= 0 ? "" : `${formatDuration((total - loaded) / perSecond)} left`;
    return { speed, left };
  };
}

function shorten(name: string): string {
  return name.length > MAX_NAME ? `${name.slice(0, MAX_NAME - 1)}…` : name;
}
