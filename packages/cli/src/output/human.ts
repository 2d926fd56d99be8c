import { env, stderr, stdout } from "node:process";
import { createBar } from "./bar.ts";
import { clean, cleanLines } from "./clean.ts";
import { createPaint } from "./colors.ts";
import type { Output, Shown } from "./output.ts";
import type { Lines } from "./streams.ts";

/** Creates an output for people: results on standard output, bars and messages on standard error. */
export function createHumanOutput(lines: Lines, isQuiet: boolean): Output {
  const paint = createPaint(stderr);
  const isInteractive = stderr.isTTY === true && env["TERM"] !== "dumb" && !isQuiet;
  const width = stdout.isTTY ? stdout.columns : undefined;
  const bar = createBar();
  let isOver = false;

  /** Results may be interleaved with a bar: it is drawn again by the next report. */
  function clear(): void {
    bar.stop();
  }

  function print(shown: Shown): void {
    clear();
    const text = isQuiet ? shown.quiet : shown.text(width);
    if (text !== "") lines.out(`${shown.isVerbatim ? text : cleanLines(text)}\n`);
  }

  function say(text: string): void {
    clear();
    lines.err(`${text}\n`);
  }

  return {
    get isClosed() {
      return lines.isClosed;
    },
    isInteractive,
    progress(name, progress) {
      if (!isInteractive || isOver) return;
      if (progress.fraction >= 1) clear();
      else bar.update(name, progress);
    },
    item: (_, shown) => void (shown && print(shown)),
    result(_, shown) {
      isOver = true;
      print(shown);
    },
    note: (message) => void (isQuiet || say(cleanLines(message))),
    warn: (message) => say(`${paint("yellow", "warning:")} ${cleanLines(message)}`),
    fail({ code, message, resume, hint }) {
      isOver = true;
      say(`${paint("red", "error:")} ${cleanLines(message)} ${paint("dim", `(${clean(code)})`)}`);
      if (hint) say(cleanLines(hint));
      if (resume) say(`To continue: ${paint("bold", clean(resume))}`);
    },
    clear,
  };
}
