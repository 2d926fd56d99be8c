import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { sourceUnreadable } from "keeplight/parts";
import { withWriteErrors } from "keeplight/parts/node";

// JSON lines: a value each.

const NEWLINE = 10;
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Yields the lines of a stream, parsed; throws a `SyntaxError` for one that is not JSON or too long, and for an incomplete last
 * one.
 */
export async function* parseLines(
  stream: AsyncIterable<Uint8Array>,
  maxBytes = Number.POSITIVE_INFINITY,
): AsyncGenerator<unknown> {
  let rest: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of stream) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      yield parseLine(Buffer.concat([...rest, chunk.subarray(start, end)]));
      rest = [];
      length = 0;
      start = end + 1;
    }
    length += chunk.length - start;
    if (length > maxBytes) throw new SyntaxError("a line is too long");
    if (start < chunk.length) rest.push(chunk.subarray(start));
  }
  if (rest.length > 0) throw new SyntaxError("the last line is incomplete");
}

function parseLine(line: Uint8Array): unknown {
  try {
    return JSON.parse(utf8.decode(line));
  } catch {
    throw new SyntaxError("a line is not JSON");
  }
}

/** Yields the lines of a file; throws `SOURCE_UNREADABLE`, also for one that is damaged. */
export async function* readLines<Value>(path: string): AsyncGenerator<Value> {
  const stream = createReadStream(path);
  try {
    yield* parseLines(stream) as AsyncGenerator<Value>;
  } catch (error) {
    throw sourceUnreadable(path, error);
  } finally {
    stream.destroy();
  }
}

/** Yields the lines of a file, none for a file that does not exist: up to the first that is damaged. */
export async function* readIntactLines<Value>(path: string): AsyncGenerator<Value> {
  try {
    yield* readLines<Value>(path);
  } catch (error) {
    const { cause } = error as Error;
    const isMissing = (cause as NodeJS.ErrnoException).code === "ENOENT";
    if (!isMissing && !(cause instanceof SyntaxError)) throw error;
  }
}

const COLLECTED = 64 * 1024;

/** Writes lines into a new file of mode 0600, or over an old one. Throws `CANNOT_WRITE`, and what the lines throw. */
export async function writeLines(path: string, lines: AsyncIterable<object>): Promise<void> {
  const handle = await withWriteErrors(path, () => open(path, "w", 0o600));
  let collected = "";
  const flush = async () => {
    const text = collected;
    collected = "";
    await withWriteErrors(path, () => handle.appendFile(text));
  };
  try {
    for await (const line of lines) {
      collected += `${JSON.stringify(line)}\n`;
      if (collected.length >= COLLECTED) await flush();
    }
    await flush();
    await withWriteErrors(path, () => handle.sync());
  } finally {
    await handle.close();
  }
}
