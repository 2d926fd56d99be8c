import { createReadStream } from "node:fs";
import { invalidSource } from "../../errors/input.ts";
import { sourceUnreadable } from "../../errors/source.ts";

/** The longest line that is read, in bytes: a path has at most 4 KiB, six times as long if every byte is escaped. */
export const MAX_LINE_BYTES = 64 * 1024;

/** Yields the lines of a file, and what is behind the last one, if anything. Throws `SOURCE_UNREADABLE`, `INVALID_SOURCE`. */
export async function* readTextLines(path: string): AsyncGenerator<string> {
  let rest = "";
  const stream = createReadStream(path, { encoding: "utf8", highWaterMark: MAX_LINE_BYTES });
  try {
    for await (const chunk of stream) {
      const lines = (rest + chunk).split("\n");
      rest = lines.pop() ?? "";
      yield* lines;
      if (rest.length > MAX_LINE_BYTES) throw invalidSource("a line of the manifest is too long");
    }
  } catch (error) {
    throw (error as NodeJS.ErrnoException).syscall === undefined ? error : sourceUnreadable(path, error);
  } finally {
    stream.destroy();
  }
  if (rest !== "") yield rest;
}

/** Counts the lines of a file. Throws `SOURCE_UNREADABLE`. */
export async function countLines(path: string): Promise<number> {
  let lines = 0;
  try {
    for await (const chunk of createReadStream(path) as AsyncIterable<Uint8Array>) {
      for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, at + 1)) lines++;
    }
  } catch (error) {
    throw sourceUnreadable(path, error);
  }
  return lines;
}

const NEWLINE = 10;
