import { toSafeJson } from "./clean.ts";
import { EVENT_VERSION, type Output } from "./output.ts";
import type { Lines } from "./streams.ts";

/** Creates an output of one event per line. */
export function createJsonOutput(command: string, lines: Lines): Output {
  const print = (event: string, data: object) =>
    lines.out(`${toSafeJson({ version: EVENT_VERSION, command, event, ...data })}\n`);
  return {
    get isClosed() {
      return lines.isClosed;
    },
    isInteractive: false,
    progress: (_, progress) => print("progress", progress),
    item: (data) => print("item", data),
    result: (data) => print("result", data),
    note: () => undefined,
    warn: (message) => print("warning", { message }),
    fail: ({ hint: _, ...failure }) => print("error", failure),
    clear: () => undefined,
  };
}
