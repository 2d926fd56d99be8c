import { createReadStream } from "node:fs";
import { invalidSource, sourceUnreadable } from "keeplight/parts";

/** The longest line that is read, in bytes: a path has at most 4 KiB, six times as long if every byte is escaped. */
export const MAX_LINE_BYTES = 64 * 1024;

/** Yields the lines of a file, and what is behind the last one, if anything. Throws `SOURCE_UNREADABLE`, `INVALID_SOURCE`. */
export async function* readTextLines(path: string): AsyncGenerator<string> {
  let rest = "";
  let count = 0;
  const stream = createReadStream(path, { encoding: "utf8", highWaterMark: MAX_LINE_BYTES });
  try {
    for await (const chunk of stream) {
      const lines = (rest + chunk).split("\n");
      rest = lines.pop() ?? "";
      count += lines.length;
      yield* lines;
      if (rest.length > MAX_LINE_BYTES) throw invalidSource(`line ${count + 1} of the manifest is too long`);
    }
  } catch (error) {
    throw (error as NodeJS.ErrnoException).syscall === undefined ? error : sourceUnreadable(path, error);
  } finally {
    stream.destroy();
  }
  if (rest !== "") yield rest;
}

/** Whether a value that was parsed is an object, and no list. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
