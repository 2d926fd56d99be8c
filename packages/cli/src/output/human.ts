import { createRequire } from "node:module";
import { env, stderr, stdout } from "node:process";
import { styleText } from "node:util";
import type cliProgress from "cli-progress";
import type { Progress } from "keeplight";
import { clean, cleanLines, formatBytes, formatDuration } from "./format.ts";
import type { Lines, Output } from "./output.ts";

/** Creates an output for people: results on standard output, bars and messages on standard error. */
export function createHumanOutput(lines: Lines, isQuiet: boolean): Output {
  const isTerminal = stderr.isTTY === true && env["TERM"] !== "dumb";
  const hasColors = isTerminal && !env["NO_COLOR"];
  const paint = (style: "bold" | "dim" | "red" | "yellow", text: string) => (hasColors ? styleText(style, text) : text);
  const isInteractive = isTerminal && !isQuiet;
  const width = stdout.isTTY ? stdout.columns : undefined;
  /** Results may be interleaved with a bar: it is drawn again by the next report. */
  const bar = createBar();
  let isOver = false;

  const print: Output["result"] = (_, text = "", quiet = "", form = undefined) => {
    bar.stop();
    const shown = isQuiet ? quiet : typeof text === "string" ? text : text(width);
    if (shown !== "") lines.out(`${form === "verbatim" ? shown : cleanLines(shown)}\n`);
  };

  function say(text: string): void {
    bar.stop();
    lines.err(`${text}\n`);
  }

  return {
    get isClosed() {
      return lines.isClosed;
    },
    progress(name, progress) {
      if (!isInteractive || isOver) return;
      if (progress.fraction >= 1) bar.stop();
      else bar.update(name, progress);
    },
    item: print,
    result(...shown) {
      isOver = true;
      print(...shown);
    },
    note: (message) => void (isQuiet || say(cleanLines(message))),
    warn: (message) => say(`${paint("yellow", "warning:")} ${cleanLines(message)}`),
    fail({ code, message, resume, hint }) {
      isOver = true;
      say(`${paint("red", "error:")} ${cleanLines(message)} ${paint("dim", `(${clean(code)})`)}`);
      if (hint) say(cleanLines(hint));
      if (resume) say(`To continue: ${paint("bold", clean(resume))}`);
    },
    clear: bar.stop,
  };
}

const require = createRequire(import.meta.url);
const MAX_NAME = 24;
/** How much of the past the speed is computed from, in milliseconds. */
const WINDOW_MS = 5_000;
const SIZE = 1_000;

/** Creates a bar with the speed and the time left on standard error, which must be a terminal. */
function createBar() {
  let bar: cliProgress.SingleBar | undefined;
  let meter = createMeter();
  let phase = "";

  return {
    update(name: string, progress: Progress): void {
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
    stop(): void {
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
