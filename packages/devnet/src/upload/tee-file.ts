import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { finished } from "node:stream/promises";

/** Bytes buffered per file while the disk is busy. */
const WRITE_BUFFER_BYTES = 1024 * 1024;

/**
 * Yields the chunks of `source` and also writes them to `path`, no faster than the disk accepts them. The file is complete
 * when the generator ends; if either side fails, nothing more is written.
 */
export async function* teeToFile(source: AsyncIterable<Uint8Array>, path: string): AsyncGenerator<Uint8Array> {
  const sink = createWriteStream(path, { highWaterMark: WRITE_BUFFER_BYTES });
  // a write that is pending when the source fails emits an error that nothing else handles
  sink.on("error", () => {});
  try {
    for await (const chunk of source) {
      if (sink.errored) throw sink.errored;
      if (!sink.write(chunk)) await once(sink, "drain");
      yield chunk;
    }
    sink.end();
    await finished(sink);
  } finally {
    sink.destroy();
    // until it is closed, it could still create its file in a folder that is being removed
    if (!sink.closed) await new Promise<void>((resolve) => sink.once("close", () => resolve()));
  }
}
