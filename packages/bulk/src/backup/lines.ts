import { createReadStream } from "node:fs";
import { open, rename } from "node:fs/promises";
import { dirname } from "node:path";
import { invalidSource, sourceUnreadable } from "keeplight/parts";
import { syncFolder, withWriteErrors } from "keeplight/parts/node";
import { openLines } from "../json-files.ts";

// Files of JSON lines. None of them is ever in memory as a whole.

/** The longest line, in bytes: two paths of 4 KiB, six times as long if every byte is escaped, and some facts. */
const MAX_LINE_BYTES = 64 * 1024;

const NEWLINE = 10;

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** Yields the lines of a file, parsed; nothing for a file that does not exist. Throws `SOURCE_UNREADABLE`, `INVALID_SOURCE`. */
export async function* readLines<Value>(path: string): AsyncGenerator<Value> {
  for await (const { value } of readPlacedLines<Value>(path)) yield value;
}

/** Like {@link readLines}, with the position of each line in the file, in bytes. */
export async function* readPlacedLines<Value>(path: string): AsyncGenerator<{ value: Value; at: number }> {
  let rest = new Uint8Array(0);
  /** Position of the rest. */
  let at = 0;
  const stream = createReadStream(path, { highWaterMark: MAX_LINE_BYTES });
  try {
    for await (const chunk of stream as AsyncIterable<Uint8Array<ArrayBuffer>>) {
      const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      let start = 0;
      for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, start)) {
        yield { value: parse<Value>(bytes.subarray(start, end), path), at: at + start };
        start = end + 1;
      }
      rest = bytes.subarray(start);
      at += start;
      if (rest.length > MAX_LINE_BYTES) throw invalidSource("a line is too long", { name: path });
    }
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return;
    throw syscall === undefined ? error : sourceUnreadable(path, error);
  } finally {
    stream.destroy();
  }
  // What was cut off when a process ended.
  if (rest.length > 0) throw invalidSource("the last line is incomplete", { name: path });
}

/** Reads the line at a position; throws `SOURCE_UNREADABLE`, `INVALID_SOURCE`. */
export async function readLineAt<Value>(path: string, at: number): Promise<Value> {
  const bytes = new Uint8Array(MAX_LINE_BYTES);
  let length: number;
  try {
    const handle = await open(path, "r");
    try {
      ({ bytesRead: length } = await handle.read(bytes, 0, bytes.length, at));
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw sourceUnreadable(path, error);
  }
  const end = bytes.subarray(0, length).indexOf(NEWLINE);
  return parse<Value>(bytes.subarray(0, Math.max(end, 0)), path);
}

function parse<Value>(line: Uint8Array, path: string): Value {
  try {
    return JSON.parse(utf8.decode(line)) as Value;
  } catch {
    throw invalidSource("a line is not JSON", { name: path });
  }
}

/**
 * Writes lines into a file of mode 0600, which replaces any other once all are written, durably: at any moment, even if the
 * process is killed, it has the old lines or the new ones. Throws `CANNOT_WRITE`; what the lines throw.
 */
export async function replaceLines(path: string, lines: AsyncIterable<object>): Promise<void> {
  await writeLines(`${path}.new`, lines);
  await withWriteErrors(path, async () => {
    await rename(`${path}.new`, path);
    await syncFolder(dirname(path));
  });
}

/** Writes lines into a file of mode 0600, durably once it resolves. Throws `CANNOT_WRITE`; what the lines throw. */
export async function writeLines(path: string, lines: AsyncIterable<object>): Promise<void> {
  const file = await openLines(path, "w");
  try {
    for await (const line of lines) await file.add(line);
    await file.finish();
  } finally {
    await file.close();
  }
}
