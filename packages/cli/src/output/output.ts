import { stderr, stdout } from "node:process";
import type { Progress } from "keeplight";
import { toSafeJson } from "./format.ts";

/** The version of the events that `--json` prints. It changes when a field is removed or changes its meaning. */
export const EVENT_VERSION = 1;

/** What is printed for people; a function receives the width of the terminal, in columns, if there is one. */
type Text = string | ((width?: number) => string);

export interface FailureReport {
  code: string;
  message: string;
  details: Readonly<Record<string, unknown>>;
  exitCode: number;
  /** The command that continues the work, if something does. */
  resume?: string | undefined;
  /** What people can do about it. */
  hint?: string | undefined;
}

/**
 * Where a command prints. Strings from elsewhere are made safe to print. A result is `data` with `--json`, and `quiet` with
 * `--quiet`: only what a script needs, such as a content id per line. Empty strings print nothing, and are the default.
 */
export interface Output {
  /** Whether nobody reads standard output any more. */
  readonly isClosed: boolean;
  /** Reports how far a transfer is; `name` is shown beside the bar. */
  progress(name: string, progress: Progress): void;
  /** Prints one of several results, while the command works. */
  item(data: object, text?: Text, quiet?: string): void;
  /** Prints the result of the command: once. Code is `verbatim`: its control characters are not replaced. */
  result(data: object, text?: Text, quiet?: string, form?: "verbatim"): void;
  /** Prints a message for people, which is not the result. */
  note(message: string): void;
  /** Prints what deserves attention; with `--quiet`, too. */
  warn(message: string): void;
  fail(failure: FailureReport): void;
  /** Removes the bar from the terminal, such as for a question. */
  clear(): void;
}

/** Creates an output of one event per line. */
export function createJsonOutput(command: string, lines: Lines): Output {
  const print = (event: string, data: object) =>
    lines.out(`${toSafeJson({ version: EVENT_VERSION, command, event, ...data })}\n`);
  return {
    get isClosed() {
      return lines.isClosed;
    },
    progress: (_, progress) => print("progress", progress),
    item: (data) => print("item", data),
    result: (data) => print("result", data),
    note: () => undefined,
    warn: (message) => print("warning", { message }),
    fail: ({ hint: _, ...failure }) => print("error", failure),
    clear: () => undefined,
  };
}

/** Writes lines to standard output and to standard error. */
export type Lines = ReturnType<typeof openLines>;

/**
 * Opens both streams. When their reader ends early, as `head` does, what follows is discarded: an upload is not ended by
 * the end of what reads its messages.
 */
export function openLines() {
  const closed = { out: false, err: false };
  stdout.on("error", () => (closed.out = true));
  stderr.on("error", () => (closed.err = true));
  const drained = (stream: NodeJS.WriteStream) => new Promise<void>((resolve) => stream.write("", () => resolve()));
  return {
    /** Whether nobody reads standard output any more. */
    get isClosed() {
      return closed.out;
    },
    out: (text: string) => void (closed.out || stdout.write(text)),
    err: (text: string) => void (closed.err || stderr.write(text)),
    /** Resolves once all that was written has left the process. */
    flush: async () => void (await Promise.all([drained(stdout), drained(stderr)])),
  };
}
