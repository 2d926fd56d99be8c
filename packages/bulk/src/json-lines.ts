import { createReadStream } from "node:fs";
import { open, truncate } from "node:fs/promises";
import { isKeeplightError } from "keeplight";
import { invalidSource, sourceUnreadable } from "keeplight/parts";
import { withWriteErrors } from "keeplight/parts/node";

// Files of JSON lines. None of them is ever in memory as a whole.

/** The longest line, in bytes: two paths of 4 KiB, six times as long if every byte is escaped, and some facts. */
const MAX_LINE_BYTES = 64 * 1024;

const NEWLINE = 10;

const utf8 = new TextDecoder("utf-8", { fatal: true });

/**
 * Yields the lines of a file as they are; one that does not end with a line break may have been cut off.
 *
 * @param describe - returns how an error names the line of a number, from 1
 */
export async function* readRawLines(path: string, describe: (number: number) => string) {
  let rest: Buffer = Buffer.alloc(0);
  let number = 1;
  const stream = createReadStream(path, { highWaterMark: MAX_LINE_BYTES });
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      let start = 0;
      for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, start)) {
        yield { bytes: bytes.subarray(start, end), isWhole: true };
        start = end + 1;
        number++;
      }
      rest = bytes.subarray(start);
      if (rest.length > MAX_LINE_BYTES) throw invalidSource(`${describe(number)} is too long`, { name: path });
    }
  } catch (error) {
    throw (error as NodeJS.ErrnoException).syscall === undefined ? error : sourceUnreadable(path, error);
  } finally {
    stream.destroy();
  }
  if (rest.length > 0) yield { bytes: rest, isWhole: false };
}

/**
 * Yields the lines of a file, parsed, with the positions of the next ones, in bytes; nothing for a file that does not exist.
 *
 * @throws `SOURCE_UNREADABLE`, `INVALID_SOURCE`
 */
async function* readPlacedLines<Value>(path: string): AsyncGenerator<{ value: Value; end: number }> {
  try {
    let end = 0;
    for await (const { bytes, isWhole } of readRawLines(path, () => "a line")) {
      if (!isWhole) throw invalidSource("the last line is incomplete", { name: path });
      end += bytes.length + 1;
      yield { value: parse<Value>(bytes, path), end };
    }
  } catch (error) {
    if (!isKeeplightError(error, "SOURCE_UNREADABLE") || error.details["code"] !== "ENOENT") throw error;
  }
}

/**
 * Yields the lines that a file starts with, up to the first one that is damaged: after a power cut its end may be anything.
 *
 * @param check - throws `INVALID_SOURCE` for a value that is damage, too
 */
export async function* readIntactLines<Value>(path: string, check: (value: unknown) => Value) {
  try {
    for await (const { value, end } of readPlacedLines<unknown>(path)) yield { value: check(value), end };
  } catch (error) {
    if (!isKeeplightError(error, "INVALID_SOURCE")) throw error;
  }
}

function parse<Value>(line: Uint8Array, path: string): Value {
  try {
    return JSON.parse(utf8.decode(line)) as Value;
  } catch {
    throw invalidSource("a line is not JSON", { name: path });
  }
}

/** Removes what is behind the first so many bytes of a file, if there is one. */
export async function keepStart(path: string, bytes: number): Promise<void> {
  await truncate(path, bytes).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
  });
}

/** Characters that are collected before they are written. */
const WRITE_CHARACTERS = 64 * 1024;

/**
 * Opens a file of lines to add some, or creates it with mode 0600. Throws `CANNOT_WRITE`, as all that it returns does.
 *
 * @param size - bytes of the lines that it keeps: what is behind them is removed
 */
export async function openLines(path: string, size: number) {
  const handle = await withWriteErrors(path, async () => {
    await keepStart(path, size);
    return open(path, "a", 0o600);
  });
  let collected = "";

  async function flush(): Promise<void> {
    const text = collected;
    collected = "";
    if (text !== "") await withWriteErrors(path, () => handle.appendFile(text));
  }

  return {
    async add(line: object): Promise<void> {
      collected += `${JSON.stringify(line)}\n`;
      if (collected.length >= WRITE_CHARACTERS) await flush();
    },
    flush,
    /** Writes what is left, durably. */
    async finish(): Promise<void> {
      await flush();
      await withWriteErrors(path, () => handle.sync());
    },
    /** Removes all lines. */
    async clear(): Promise<void> {
      collected = "";
      await withWriteErrors(path, () => handle.truncate(0));
    },
    /** Closes the file; what was added last may be missing. Never fails. */
    close: () => handle.close().catch(() => undefined),
  };
}
