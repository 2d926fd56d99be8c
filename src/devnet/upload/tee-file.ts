import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { finished } from "node:stream/promises";

/** Bytes held back per file while the disk is busy. */
const WRITE_BUFFER_BYTES = 1024 * 1024;

/**
 * Passes bytes on and writes them to `path` on their way, no faster than the disk takes them. The file
 * is complete when the generator ends; if either side fails, nothing more is written.
 */
export async function* teeToFile(source: AsyncIterable<Uint8Array>, path: string): AsyncGenerator<Uint8Array> {
  const sink = createWriteStream(path, { highWaterMark: WRITE_BUFFER_BYTES });
  // a write that was under way when the source failed fails too, and nobody is left to hear of it
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
    // until then it could still make its file, in a folder that is being removed
    if (!sink.closed) await new Promise<void>((resolve) => sink.once("close", () => resolve()));
  }
}
